import { ruleTable, table } from 'homeostat/testkit';
import { widgetKind } from './index.ts';

const widget = {
  apiVersion: 'example.com/v1alpha1',
  kind: 'Widget',
  metadata: { name: 'hello', namespace: 'team-a' },
  spec: { text: 'Hello' },
};

table(widgetKind, {
  'the text is kept': {
    given: { object: widget },
    expect: {
      ready: 'True/Ready',
      children: ['ConfigMap team-a/hello'],
      status: { configMap: 'hello' },
    },
  },
});

ruleTable(widgetKind, {
  'a quiet text is let through': { after: widget, says: [] },
  'a shout is refused': {
    after: { ...widget, spec: { text: 'Hello!' } },
    says: ['spec.text: Invalid value: "Hello!": must not shout'],
  },
});
