import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderKindPage } from '../../../src/manifests/kind-page.ts';
import { widgetManifestSlice } from '../../support/widget-slice.ts';

test('a page names the kind, its sample, every field, the columns and the hooks', () => {
  const page = renderKindPage(widgetManifestSlice);
  assert.match(page, /^# Widget\n/);
  assert.match(page, /API version `example\.com\/v1`, in a namespace; kubectl knows it as `widgets`, `wd`\./);
  assert.match(page, /```yaml\napiVersion: example\.com\/v1\n/);
  assert.match(page, /\| `spec\.size` \| integer \| Size\. \|/);
  assert.match(page, /\| SIZE \| `\.spec\.size` \| always \|/);
  assert.match(page, /\| protect \| DELETE \| Ignore \| 3 s \|/);
});

test('fields of list items and map values, bounds, defaults and what is required are told', () => {
  const page = renderKindPage({
    ...widgetManifestSlice,
    structure: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          required: ['parts'],
          properties: {
            parts: {
              type: 'array',
              description: 'Parts.',
              maxItems: 3,
              items: {
                type: 'object',
                properties: { mode: { type: 'string', description: 'Mode.', enum: ['a', 'b'], default: 'a' } },
              },
            },
            sizes: {
              type: 'object',
              description: 'Sizes.',
              maxProperties: 2,
              additionalProperties: { type: 'integer' },
            },
          },
        },
      },
    },
  });
  assert.match(page, /\| `spec\.parts` \| list of object \| Parts\. Required\. At most 3 items\. \|/);
  assert.match(page, /\| `spec\.parts\[\]\.mode` \| string \| Mode\. Default `"a"`\. One of `"a"`, `"b"`\. \|/);
  assert.match(page, /\| `spec\.sizes` \| map of integer \| Sizes\. At most 2 entries\. \|/);
});
