/**
 * The checksum of objects, computed by a table of bytes: fast, and not by the library that the package computes it with.
 *
 * Source: RFC 3720, appendix B.4, https://www.rfc-editor.org/rfc/rfc3720#appendix-B.4.
 */

/** The polynomial of Castagnoli, its bits reversed. */
const polynomial = 0x82f63b78

const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ polynomial : rest >>> 1
  return rest
})

/** The checksum as Cloud Storage writes it: in network order, in base64. */
export const base64 = (data: Uint8Array): string => {
  let rest = -1
  for (let at = 0; at < data.length; at++) rest = (rest >>> 8) ^ (table[(rest ^ (data[at] ?? 0)) & 0xff] ?? 0)
  const sum = Buffer.alloc(4)
  sum.writeInt32BE(~rest)
  return sum.toString("base64")
}
