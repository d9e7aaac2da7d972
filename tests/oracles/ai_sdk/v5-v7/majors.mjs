import * as ai5 from "ai5";
import { MockLanguageModelV2 } from "ai5/test";
import * as ai6 from "ai6";
import { MockLanguageModelV3 } from "ai6/test";
import * as ai7 from "ai7";
import { MockLanguageModelV4 } from "ai7/test";

export default {
  5: { ai: ai5, Mock: MockLanguageModelV2 },
  6: { ai: ai6, Mock: MockLanguageModelV3 },
  7: { ai: ai7, Mock: MockLanguageModelV4 },
};
