/**
 * Certificates for servers on loopback, made once per process.
 */
import { Effect } from "effect"
import * as Selfsigned from "selfsigned"

/** A certificate with its key, as Node's TLS takes them. */
export interface Pair {
  readonly key: string
  readonly cert: string
}

/** Certificates of servers. */
export interface Kinds {
  readonly valid: Pair
  readonly expired: Pair
  readonly notYetValid: Pair
  readonly ofAnotherHost: Pair
  readonly selfSigned: Pair
  /** Of an authority that the clients do not know. */
  readonly unknownIssuer: Pair
  /** The same, and the server sends the authority's own certificate with it. */
  readonly unknownRoot: Pair
}

export interface Certificates extends Kinds {
  /** What the clients trust. */
  readonly authority: string
}

/** What the certificates are for, together with all names one level below it. */
export const host = "server.test"

/** So far from today that no clock is in between. */
const date = (year: number): Date => new Date(Date.UTC(year, 0))

const always = { notBeforeDate: date(2001), notAfterDate: date(2090) }

const made = (name: string, options: Selfsigned.SelfsignedOptions): Promise<Pair> =>
  Selfsigned.generate([{ name: "commonName", value: name }], {
    keyType: "ec",
    algorithm: "sha256",
    ...always,
    ...options
  }).then(({ cert, private: key }) => ({ key, cert }))

const authority = (name: string): Promise<Pair> =>
  made(name, {
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, critical: true }
    ]
  })

const leaf = (ca: Pair | undefined, options: Selfsigned.SelfsignedOptions = {}, name = host): Promise<Pair> =>
  made(name, {
    ...(ca && { ca }),
    extensions: [{ name: "subjectAltName", altNames: [name, `*.${name}`].map((value) => ({ type: 2, value })) }],
    ...options
  })

const all = async (): Promise<Certificates> => {
  const [known, unknown] = await Promise.all([authority("Known Authority"), authority("Unknown Authority")])
  const [valid, expired, notYetValid, ofAnotherHost, selfSigned, unknownIssuer] = await Promise.all([
    leaf(known),
    leaf(known, { notAfterDate: date(2002) }),
    leaf(known, { notBeforeDate: date(2089) }),
    leaf(known, {}, "another.test"),
    leaf(undefined),
    leaf(unknown)
  ])
  const unknownRoot = { ...unknownIssuer, cert: `${unknownIssuer.cert}\n${unknown.cert}` }
  return { authority: known.cert, valid, expired, notYetValid, ofAnotherHost, selfSigned, unknownIssuer, unknownRoot }
}

export const certificates: Effect.Effect<Certificates> = /*#__PURE__*/ Effect.runSync(
  Effect.cached(Effect.promise(all))
)
