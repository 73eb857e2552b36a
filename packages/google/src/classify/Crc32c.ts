/**
 * The checksum CRC32C, eight bytes at a time.
 *
 * Sources: RFC 9260, appendix A, https://www.rfc-editor.org/rfc/rfc9260#appendix-A, whose polynomial 0x1edc6f41 stands here
 * with its bits reversed; M. Kounavis and F. Berry, "A Systematic Approach to Building High Performance Software-based CRC
 * Generators", 2005, for the eight tables.
 */

/** `tables[256 * k + b]`: what the byte `b` does to the checksum when `k` more bytes have followed. */
const tables: Int32Array = /*#__PURE__*/ made()

function made(): Int32Array {
  const all = new Int32Array(8 * 256)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f6_3b78 : 0)
    all[byte] = crc
  }
  for (let place = 256; place < all.length; place++) {
    const before = at(all, place - 256)
    all[place] = (before >>> 8) ^ at(all, before & 255)
  }
  return all
}

function at(numbers: Int32Array | Uint8Array, place: number): number {
  return numbers[place] as number
}

/** Extends a checksum by more bytes: `crc` is the checksum of the bytes before, 0 for no bytes. From 0 to 2^32 - 1. */
export const update = (crc: number, bytes: Uint8Array): number => {
  let state = ~crc
  let place = 0
  for (const end = bytes.length - 7; place < end; place += 8) {
    const next = state ^ word(bytes, place)
    state =
      at(tables, 1792 + (next & 255)) ^
      at(tables, 1536 + ((next >>> 8) & 255)) ^
      at(tables, 1280 + ((next >>> 16) & 255)) ^
      at(tables, 1024 + (next >>> 24)) ^
      at(tables, 768 + at(bytes, place + 4)) ^
      at(tables, 512 + at(bytes, place + 5)) ^
      at(tables, 256 + at(bytes, place + 6)) ^
      at(tables, at(bytes, place + 7))
  }
  for (; place < bytes.length; place++) state = (state >>> 8) ^ at(tables, (state ^ at(bytes, place)) & 255)
  return ~state >>> 0
}

/** Four bytes, the least significant one first. */
const word = (bytes: Uint8Array, place: number): number =>
  at(bytes, place) | (at(bytes, place + 1) << 8) | (at(bytes, place + 2) << 16) | (at(bytes, place + 3) << 24)
