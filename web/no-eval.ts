// Stands for zod in the pages: it compiles schemas with `new Function` unless it is told not to before the first one is made.
// Our pages forbid that, and a browser would report each try.

import { config } from "zod/v4";

export * from "zod/v4";

config({ jitless: true });
