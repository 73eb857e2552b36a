/**
 * Bytes of a source that follow each other, kept until the server has acknowledged them.
 */
import { joined } from "@effect-retry/http/unstable/BodyBytes"

/** Mutable. */
export interface Bytes {
  /** The place of the first byte in the source. */
  start: number
  length: number
  parts: Array<Uint8Array>
  /** The memory that small pieces are copied to, and how much of it they have. */
  block: Uint8Array
  filled: number
}

export const make = (): Bytes => ({ start: 0, length: 0, parts: [], block: new Uint8Array(0), filled: 0 })

/** The place behind the last byte. */
export const end = ({ length, start }: Bytes): number => start + length

/** Forgets what is kept, and goes on from another place. */
export const restart = (self: Bytes, start: number): void => {
  Object.assign(self, { start, length: 0, parts: [] })
}

export const append = (self: Bytes, bytes: Uint8Array): void => {
  if (bytes.length < smallBytes) appendCopy(self, bytes)
  else self.parts.push(bytes)
  self.length += bytes.length
}

/** A piece that is kept takes some hundred bytes besides its own: small ones are put together. */
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
