/**
 * The file that the page shares with its worker.
 */
import address from "../../../src/playground/Packages.ts?worker&url"

export type Packages = typeof import("../../../src/playground/Packages.ts")

export const loadPackages = (): Promise<Packages> => import(/* @vite-ignore */ address)

export const startWorker = (): Worker => new Worker(address, { type: "module" })
