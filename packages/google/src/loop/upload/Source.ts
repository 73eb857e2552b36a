/**
 * The source of an upload's bytes, which are kept until the server has acknowledged them.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as BodyLine from "@effect-retry/http/unstable/BodyLine"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Options from "../../accept/Options.ts"
import type * as Checksum from "../../classify/Checksum.ts"
import * as Bytes from "./Bytes.ts"
import type { Reason } from "./Failed.ts"

/**
 * Bytes to upload.
 *
 * @category models
 */
export interface Source<out E = never, out R = never> {
  /** The size in bytes, if it is known before the bytes are read. */
  readonly size: number | undefined
  /** Whether the bytes can be read again. */
  readonly isReopenable: boolean
  /** The bytes from `offset` on. */
  readonly open: (offset: number) => Stream.Stream<Uint8Array, E, R>
}

/**
 * Bytes in memory, which are not copied. Can continue from any position, even in a new session or another process.
 *
 * @category constructors
 */
export const fromBytes = (bytes: Uint8Array): Source => {
  if (!Predicate.isUint8Array(bytes))
    Argument.refuse("ResumableUpload.fromBytes", "bytes", "a Uint8Array", typeof bytes)
  return {
    size: bytes.length,
    isReopenable: true,
    open: (offset) => (offset < bytes.length ? Stream.succeed(bytes.subarray(offset)) : Stream.empty)
  }
}

/**
 * Bytes that can be read from any position, such as those of a file. Can continue from any position, even in a new
 * session or another process. The bytes must be the same each time; a checksum detects if they are not.
 *
 * @category constructors
 */
export const fromOffset = <E = never, R = never>(
  open: (offset: number) => Stream.Stream<Uint8Array, E, R>,
  options: SourceOptions = {}
): Source<E, R> => {
  const owner = "ResumableUpload.fromOffset"
  if (!Predicate.isFunction(open)) Argument.refuse(owner, "open", "a function that returns a stream", open)
  return { size: checkedSize(owner, options), isReopenable: true, open }
}

/**
 * A stream that can be run only once. The chunk that the server has not acknowledged is kept, and sent again after a
 * failure; a session that is lost after its first chunk is not replaced. In another process the stream must begin with
 * its first byte again: the bytes that the server has are read and skipped.
 *
 * @category constructors
 */
export const fromStream = <E = never, R = never>(
  stream: Stream.Stream<Uint8Array, E, R>,
  options: SourceOptions = {}
): Source<E, R> => {
  const owner = "ResumableUpload.fromStream"
  if (!BodyLine.isStream(stream)) Argument.refuse(owner, "stream", "a stream", typeof stream)
  return { size: checkedSize(owner, options), isReopenable: false, open: () => stream }
}

interface SourceOptions {
  /** The size in bytes, if known; the server then checks it too. */
  readonly size?: number | undefined
}

const checkedSize = (owner: string, options: SourceOptions): number | undefined => {
  Options.checkFields(owner, Options.check(owner, options), { size: true })
  const { size } = options
  return size === undefined
    ? undefined
    : Argument.number(owner, "size", size, { min: 0, max: Number.MAX_SAFE_INTEGER, integer: true })
}

/** Consecutive bytes, and whether they are the last ones. */
export interface Window {
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

/** A source that is being read. Made anew for each upload; mutable. */
export interface Reader {
  readonly source: Source<unknown, unknown>
  readonly chunkBytes: number
  readonly checksums: Checksum.Running | undefined
  /** The position up to which checksums have been computed. */
  hashed: number
  readonly kept: Bytes.Bytes
  isEnded: boolean
  wasOpened: boolean
  opening: Opening | undefined
}

interface Opening {
  readonly scope: Scope.CloseableScope
  /** Returns the bytes after the kept ones; `None` after the last. */
  readonly pull: Effect.Effect<Option.Option<ReadonlyArray<Uint8Array>>, unknown, unknown>
}

/** The source failed. The policy does not judge this: the upload fails with the source's error. */
export class SourceFailed extends Data.TaggedError("SourceFailed") {
  readonly #error: unknown

  constructor(failed: { readonly error: unknown }) {
    super()
    this.#error = failed.error
  }

  /** The error itself. Printing leaves it out. */
  get error(): unknown {
    return this.#error
  }
}

/** The source does not have the requested bytes. */
class NoBytes extends Data.TaggedError("NoBytes")<{ readonly reason: Reason }> {}

/** Opens a source, which is closed with the scope. */
export const reader = (
  source: Source<unknown, unknown>,
  chunkBytes: number,
  checksums: Checksum.Running | undefined
): Effect.Effect<Reader, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync((): Reader => ({
      source,
      chunkBytes,
      checksums,
      hashed: 0,
      kept: Bytes.make(),
      isEnded: false,
      wasOpened: false,
      opening: undefined
    })),
    close
  )

function close(self: Reader, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> {
  const { opening } = self
  self.opening = undefined
  return opening === undefined ? Effect.void : Scope.close(opening.scope, exit)
}

/**
 * The bytes from `offset` on, as many as fit a chunk. Earlier bytes are discarded.
 *
 * One more byte is read, to know whether these are the last ones.
 */
export const window = (self: Reader, offset: number): Effect.Effect<Window, SourceFailed | NoBytes, unknown> =>
  Effect.gen(function* () {
    const { chunkBytes, kept } = self
    if (offset < kept.start) yield* reopen(self, offset)
    Bytes.drop(kept, offset)
    while (!self.isEnded && Bytes.end(kept) <= offset + chunkBytes) {
      yield* readMore(self, offset)
      Bytes.drop(kept, offset)
    }
    if (kept.start < offset) return yield* without("DataLoss", "the server has more bytes than the source")
    yield* checkSize(self)
    const length = Math.min(kept.length, chunkBytes)
    return { bytes: Bytes.first(kept, length), isLast: self.isEnded && length === kept.length }
  })

const without = (_tag: Reason["_tag"], why: string): Effect.Effect<never, NoBytes> =>
  Effect.fail(new NoBytes({ reason: { _tag, why } }))

const checkSize = ({ isEnded, kept, source: { size } }: Reader): Effect.Effect<void, NoBytes> => {
  if (size === undefined) return Effect.void
  if (Bytes.end(kept) > size) return without("SourceChanged", "the source has more bytes than it said")
  return isEnded && Bytes.end(kept) < size
    ? without("SourceChanged", "the source has fewer bytes than it said")
    : Effect.void
}

/** Discards the kept bytes, and reads from `offset` on. */
const reopen = (self: Reader, offset: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    Bytes.restart(self.kept, offset)
    self.isEnded = false
    return close(self, Exit.void)
  })

const readMore = (self: Reader, offset: number): Effect.Effect<void, SourceFailed | NoBytes, unknown> =>
  Effect.flatMap(self.opening === undefined ? opened(self, offset) : Effect.succeed(self.opening), ({ pull }) =>
    Effect.matchEffect(
      // The result of an interrupted read is unknown, so the source is opened again.
      Effect.onInterrupt(pull, () => close(self, Exit.void)),
      {
        onFailure: (error) => Effect.fail(new SourceFailed({ error })),
        onSuccess: (pieces) =>
          Effect.sync(() => {
            if (Option.isNone(pieces)) self.isEnded = true
            else pieces.value.forEach((bytes) => append(self, bytes))
          })
      }
    )
  )

const opened = (self: Reader, offset: number) =>
  Effect.suspend(() => {
    const { checksums, hashed, kept, source } = self
    if (self.wasOpened && !source.isReopenable) {
      return without("NotRewindable", "the source cannot be read again")
    }
    // Reading continues after the kept bytes; without any, at the position of the checksums, however far the server is.
    if (kept.length === 0)
      kept.start = checksums === undefined && source.isReopenable ? offset : Math.min(offset, hashed)
    self.wasOpened = true
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Scope.make(), (scope) => {
        const pull = Effect.suspend(() => BodyLine.pulled(source.open(Bytes.end(kept))))
        return Effect.map(
          Effect.onError(restore(Scope.extend(pull, scope)), (cause) => Scope.close(scope, Exit.failCause(cause))),
          (pull) => (self.opening = { scope, pull })
        )
      })
    )
  })

const append = (self: Reader, bytes: Uint8Array): void => {
  if (bytes.length === 0) return
  const place = Bytes.end(self.kept)
  const until = place + bytes.length
  if (place <= self.hashed && until > self.hashed) {
    self.checksums?.update(bytes.subarray(self.hashed - place))
    self.hashed = until
  }
  Bytes.append(self.kept, bytes)
}

/** The checksums of the whole source, if it was read from its beginning to its end. */
export const digest = (self: Reader, total: number): Checksum.Checksums =>
  self.checksums !== undefined && self.hashed === total ? self.checksums.digest() : {}

/** The source's error instead of `SourceFailed`. */
export const unwrapped = (error: unknown): unknown => (error instanceof SourceFailed ? error.error : error)
