/**
 * Consecutive bytes of a source, kept until the server has acknowledged them.
 */
import { joined } from "@effect-retry/http/unstable/BodyBytes"

/** Kept bytes. Mutable. */
export interface Bytes {
  /** The position of the first byte in the source. */
  start: number
  length: number
  parts: Array<Uint8Array>
  /** A block into which small pieces are copied, and how much of it is used. */
  block: Uint8Array
  filled: number
}

export const make = (): Bytes => ({ start: 0, length: 0, parts: [], block: new Uint8Array(0), filled: 0 })

/** The position after the last byte. */
export const end = ({ length, start }: Bytes): number => start + length

/** Discards the kept bytes, and continues from another position. */
export const restart = (self: Bytes, start: number): void => {
  Object.assign(self, { start, length: 0, parts: [] })
}

export const append = (self: Bytes, bytes: Uint8Array): void => {
  if (bytes.length < smallBytes) appendCopy(self, bytes)
  else self.parts.push(bytes)
  self.length += bytes.length
}

/** A kept piece costs a few hundred bytes of overhead, so pieces smaller than this are joined. */
const smallBytes = 8192
const blockBytes = 65_536

const appendCopy = (self: Bytes, bytes: Uint8Array): void => {
  if (self.filled + bytes.length > self.block.length) {
    self.block = new Uint8Array(blockBytes)
    self.filled = 0
  }
  self.block.set(bytes, self.filled)
  const before = self.parts.at(-1)
  const isBehind = before?.buffer === self.block.buffer && before.byteOffset + before.length === self.filled
  const from = isBehind ? before.byteOffset : self.filled
  self.filled += bytes.length
  if (isBehind) self.parts.pop()
  self.parts.push(self.block.subarray(from, self.filled))
}

/** Forgets the bytes before `offset`. */
export const drop = (self: Bytes, offset: number): void => {
  let left = Math.min(offset - self.start, self.length)
  self.start += left
  self.length -= left
  while (left > 0) {
    const part = self.parts[0] ?? new Uint8Array(left)
    if (part.length > left) self.parts[0] = part.subarray(left)
    else self.parts.shift()
    left -= Math.min(left, part.length)
  }
}

/** The first bytes, in one piece. */
export const first = (self: Bytes, length: number): Uint8Array => {
  if ((self.parts[0]?.length ?? 0) < length) self.parts = [joined(self.parts)]
  return self.parts[0]?.subarray(0, length) ?? new Uint8Array(0)
}
