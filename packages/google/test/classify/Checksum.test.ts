import { crc32c as published } from "@aws-crypto/crc32c"
import { Checksum } from "@effect-retry/google"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { createHash } from "node:crypto"

const ascii = (text: string) => new TextEncoder().encode(text)
const fromHex = (hex: string) => Buffer.from(hex, "hex").toString("base64")

/** https://www.rfc-editor.org/rfc/rfc3720#appendix-B.4, which shows the least significant byte first, and the check value of "CRC-32/ISCSI" in https://reveng.sourceforge.io/crc-catalogue/all.htm. */
const crc32c = [
  { of: "32 bytes of zeroes", bytes: new Uint8Array(32), hex: "8a9136aa" },
  { of: "32 bytes of ones", bytes: new Uint8Array(32).fill(255), hex: "62a8ab43" },
  { of: "32 bytes that grow", bytes: Uint8Array.from({ length: 32 }, (_, place) => place), hex: "46dd794e" },
  { of: "32 bytes that shrink", bytes: Uint8Array.from({ length: 32 }, (_, place) => 31 - place), hex: "113fdb5c" },
  { of: "the digits", bytes: ascii("123456789"), hex: "e3069283" },
  { of: "nothing", bytes: new Uint8Array(0), hex: "00000000" }
]

/** https://www.rfc-editor.org/rfc/rfc1321#appendix-A.5. */
const md5 = [
  { of: "", hex: "d41d8cd98f00b204e9800998ecf8427e" },
  { of: "a", hex: "0cc175b9c0f1b6a831c399e269772661" },
  { of: "abc", hex: "900150983cd24fb0d6963f7d28e17f72" },
  { of: "message digest", hex: "f96b697d7cb7938d525a2f31aaf161d0" },
  { of: "abcdefghijklmnopqrstuvwxyz", hex: "c3fcd3d76192e4007dfb496cca67e13b" },
  {
    of: "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
    hex: "57edf4a22be3c955ac49da2e2107b67a"
  }
]

describe("Checksum.of", () => {
  it.each(crc32c)("writes the CRC32C of $of as the service does", ({ bytes, hex }) => {
    expect(Checksum.of(bytes)).toHaveProperty("crc32c", fromHex(hex))
  })

  it.each(md5)('writes the MD5 of "$of" as the service does', ({ hex, of }) => {
    expect(Checksum.of(ascii(of))).toHaveProperty("md5", fromHex(hex))
  })

  it("has the algorithms that were asked for", () => {
    expect(Object.keys(Checksum.of(ascii("a"), ["md5"]))).toEqual(["md5"])
    expect(Checksum.of(ascii("a"), [])).toEqual({})
  })
})

describe("Checksum.running", () => {
  it.prop("is the same however the bytes are cut", [fc.array(fc.uint8Array({ maxLength: 100 }))], ([parts]) => {
    const whole = Uint8Array.from(parts.flatMap((part) => [...part]))
    const all = Checksum.running(Checksum.algorithms)
    for (const part of parts) {
      all.update(part)
      all.digest()
    }
    expect(all.digest()).toEqual(Checksum.of(whole))
    expect(Buffer.from(all.digest().crc32c ?? "", "base64").readUInt32BE()).toBe(published(whole))
    expect(all.digest().md5).toBe(createHash("md5").update(whole).digest("base64"))
  })
})

const shown = "crc32c=n03x6A==,md5=Ojk9c3dhfxgoKVVHYwFbHQ=="

describe("Checksum.fromHeader", () => {
  const known = { crc32c: "n03x6A==", md5: "Ojk9c3dhfxgoKVVHYwFbHQ==" }
  it.each([
    [shown, known],
    [shown.replace(",", ", "), known],
    [`md5=${known.md5}, crc32c=${known.crc32c}`, known],
    [`crc32c=${known.crc32c}`, { crc32c: known.crc32c }],
    [`${shown},sha256=abc`, known],
    [`${shown},${shown}`, known],
    [`${shown},crc32c=AAAAAA==`, { md5: known.md5 }],
    [undefined, {}],
    ["", {}],
    [",,,=,==", {}],
    ["crc32c", {}],
    ["crc32c=", {}],
    ["CRC32C=n03x6A==", {}],
    ["crc32c=n03x6A", {}],
    ["crc32c=n03x6B==", {}],
    ["crc32c=n03x6A== x", {}],
    ["crc32c=n03x-_==", {}],
    ["crc32c=Ojk9c3dhfxgoKVVHYwFbHQ==", {}],
    ["__proto__=n03x6A==,constructor=n03x6A==", {}],
    [`${shown},${"x".repeat(1024)}`, {}]
  ])("reads %j", (value, expected) => {
    expect(Checksum.fromHeader(value)).toEqual(expected)
  })

  it.prop("answers values of the right length alone", [fc.string({ maxLength: 30 })], ([value]) => {
    const { crc32c, md5 } = Checksum.fromHeader(`crc32c=${value},md5=${value}`)
    expect([0, 4]).toContain(Buffer.from(crc32c ?? "", "base64").length)
    expect([0, 16]).toContain(Buffer.from(md5 ?? "", "base64").length)
  })
})

describe("Checksum.toHeader", () => {
  it.prop("is what fromHeader reads", [fc.uint8Array()], ([bytes]) => {
    const all = Checksum.of(bytes)
    expect(Checksum.fromHeader(Checksum.toHeader(all))).toEqual(all)
  })

  it("says nothing without checksums", () => {
    expect(Checksum.toHeader({})).toBeUndefined()
  })
})

describe("Checksum.fromResource", () => {
  it("reads the fields of the JSON API", () => {
    const resource = { crc32c: "n03x6A==", md5Hash: "Ojk9c3dhfxgoKVVHYwFbHQ==", md5: "x" }
    expect(Checksum.fromResource(resource)).toEqual(Checksum.fromHeader(shown))
  })

  it.each([{}, { crc32c: 5, md5Hash: null }, { crc32c: "n03x6A", md5Hash: ["Ojk9c3dhfxgoKVVHYwFbHQ=="] }])(
    "leaves out a malformed field: %j",
    (resource) => {
      expect(Checksum.fromResource(resource)).toEqual({})
    }
  )
})

describe("Checksum.compare", () => {
  const one = Checksum.of(ascii("one"))
  const other = Checksum.of(ascii("other"))
  const crc = (from: Checksum.Checksums): Checksum.Checksums => ({ crc32c: from.crc32c ?? "" })
  const rows: ReadonlyArray<
    readonly [string, Checksum.Checksums, Checksum.Checksums, ReadonlyArray<string>, Checksum.Algorithm | undefined]
  > = [
    ["the same", one, one, ["crc32c", "md5"], undefined],
    ["a wrong CRC32C", other, one, ["crc32c", "md5"], "crc32c"],
    ["a wrong MD5", { ...other, ...crc(one) }, one, ["crc32c", "md5"], "md5"],
    ["one in common", other, crc(one), ["crc32c"], "crc32c"],
    ["none in common", crc(other), { md5: one.md5 ?? "" }, [], undefined],
    ["none", {}, one, [], undefined]
  ]
  it.each(rows)("finds %s", (_, expected, actual, compared, algorithm) => {
    const found = Checksum.compare(expected, actual)
    expect(found.compared).toEqual(compared)
    expect(found.mismatch).toEqual(algorithm && { algorithm, expected: expected[algorithm], actual: actual[algorithm] })
  })
})

describe("wrong arguments of Checksum", () => {
  it.each([null, NaN, "text", {}, [], () => 1])("are refused: %j", (wrong) => {
    const given = wrong as never
    expect(() => Checksum.of(given)).toThrow("Checksum.of: bytes must be a Uint8Array")
    expect(() => Checksum.running(["md5"]).update(given)).toThrow("Checksum.running: bytes must be a Uint8Array")
  })

  it.each([null, undefined, NaN, "md5", {}, ["sha1"], () => 1])("are refused as algorithms: %j", (wrong) => {
    const given = wrong as never
    expect(() => Checksum.running(given)).toThrow("Checksum.running: checksums must be an array of crc32c and md5")
  })

  it.each([null, NaN, {}, [], () => 1])("are refused as a header: %j", (wrong) => {
    expect(() => Checksum.fromHeader(wrong as never)).toThrow("Checksum.fromHeader: value must be")
  })
})
