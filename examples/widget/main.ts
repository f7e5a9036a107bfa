import { runCli } from 'homeostat';
import { paletteKind } from './kinds/palette/index.ts';
import { widgetKind } from './kinds/widget/index.ts';

await runCli({ kinds: [paletteKind, widgetKind] });
