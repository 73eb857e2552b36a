/**
 * What the pairs call, and how it fails.
 */
export type Load = () => Promise<string>

export class Busy extends Error {
  readonly waitMillis: number
  constructor(waitMillis = 0) {
    super("busy")
    this.waitMillis = waitMillis
  }
}

export class NotFound extends Error {
  constructor() {
    super("not found")
  }
}

/** The same call through each library. */
export type Ways = Readonly<Record<string, (load: Load) => Promise<unknown>>>
