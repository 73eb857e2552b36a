import { describe, expect, it } from "@effect/vitest"
import * as Crc32c from "./Crc32c.ts"

/** Source: RFC 3720, appendix B.4, whose bytes are in the other order, and of the last one the catalogue of CRCs. */
const sums = [
  { name: "32 bytes of zeros", data: new Uint8Array(32), sum: "8a9136aa" },
  { name: "32 bytes of ones", data: new Uint8Array(32).fill(0xff), sum: "62a8ab43" },
  { name: "32 bytes that grow", data: Uint8Array.from({ length: 32 }, (_, index) => index), sum: "46dd794e" },
  { name: "nothing", data: new Uint8Array(0), sum: "00000000" },
  { name: "nine digits", data: Buffer.from("123456789"), sum: "e3069283" }
]

describe("Crc32c.base64", () => {
  it.each(sums)("is that of the standard for $name", ({ data, sum }) => {
    expect(Buffer.from(Crc32c.base64(data), "base64").toString("hex")).toBe(sum)
  })
})
