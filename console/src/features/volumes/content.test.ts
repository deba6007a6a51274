import { describe, expect, it } from "vitest";
import { decodeText, imageType, languageOf, lineBreakOf } from "./content";

const bytes = (...values: number[]) => new Uint8Array(values).buffer;
const encode = (text: string) => new TextEncoder().encode(text).buffer as ArrayBuffer;

describe("the text of a file", () => {
  it("is what was written, a byte order mark included", () => {
    expect(decodeText(encode("\ufeffπ = 3\r\n"), false)).toBe("\ufeffπ = 3\r\n");
  });
  it("is undefined for bytes that are not text", () => {
    expect(decodeText(bytes(0x80, 0x02, 0x7d), false)).toBeUndefined();
    expect(decodeText(bytes(0x41, 0x00, 0x42), false)).toBeUndefined();
  });
  it("may be cut within a character when it is a part", () => {
    const cut = encode("数据").slice(0, 5);
    expect(decodeText(cut, true)).toBe("数");
    expect(decodeText(cut, false)).toBeUndefined();
  });
  it("keeps how its lines end", () => {
    expect(lineBreakOf("a\r\nb\r\n")).toBe("\r\n");
    expect(lineBreakOf("a\nb\n")).toBe("\n");
  });
});

it("knows pictures and languages by the end of the name", () => {
  expect(imageType("plots/Loss.PNG")).toBe("image/png");
  expect(imageType("png")).toBeUndefined();
  expect(imageType("model_state_dict.pt")).toBeUndefined();
  expect(languageOf("torch_mnist_trainingjob.py")).toBe("python");
  expect(languageOf("job.yml")).toBe("yaml");
  expect(languageOf("v1.py/readme")).toBe("text");
});
