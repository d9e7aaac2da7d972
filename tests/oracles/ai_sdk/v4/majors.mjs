// A door of its own: major 4 needs zod 3, the later ones are strictest with zod 4.
import * as ai from "ai4";
import { MockLanguageModelV1 as Mock } from "ai4/test";

export default { 4: { ai, Mock } };
