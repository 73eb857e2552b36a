/**
 * Runs effects that wait for nothing but each other, in one step.
 *
 * This is the file of Effect 3, in whose place the line for Effect 4 has its own.
 */
import { Effect } from "effect"

export const run: <A, E>(effect: Effect.Effect<A, E>) => A = Effect.runSync
