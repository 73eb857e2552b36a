/**
 * Checks defaults given by a caller.
 */
import * as Argument from "@effect-retry/core/unstable/Argument"
import * as Predicate from "effect/Predicate"
import type { Sdk, Service } from "./AwsDefaults.ts"
import type { Mode } from "./AwsSettings.ts"
import * as Settings from "./AwsSettings.ts"

/** Checks the defaults of an SDK. Throws an `InvalidArgument` if they have no modes, or a default is out of range. */
export const checkSdk = (owner: string, sdk: Sdk): void => {
  const isComplete =
    Predicate.isRecord(sdk) &&
    Array.isArray(sdk.modes) &&
    Predicate.isRecord(sdk.mode) &&
    Predicate.isRecord(sdk.maxAttempts)
  if (!isComplete) return Argument.refuse(owner, "sdk", "one of AwsDefaults, or a record like those", sdk)
  const modes: ReadonlyArray<Mode> = sdk.modes
  Argument.oneOf(owner, "sdk.behaviour", sdk.behaviour, Settings.behaviours)
  for (const behaviour of Settings.behaviours) {
    Argument.oneOf(owner, `sdk.mode.${behaviour}`, sdk.mode[behaviour], modes)
  }
  for (const mode of modes) {
    Argument.number(owner, `sdk.maxAttempts.${mode}`, sdk.maxAttempts[mode], Settings.attempts)
  }
}

/**
 * Checks the defaults of a service. Throws an `InvalidArgument` for a mode that the SDK does not have, and for attempts
 * out of range.
 */
export const checkService = (owner: string, service: Service, modes: ReadonlyArray<Mode>): void => {
  if (!Predicate.isRecord(service)) return Argument.refuse(owner, "service", "a record of defaults", service)
  const { maxAttempts, mode }: Service = service
  if (mode !== undefined) Argument.oneOf(owner, "service.mode", mode, modes)
  if (typeof maxAttempts === "number") Argument.number(owner, attemptsField, maxAttempts, Settings.attempts)
  else if (maxAttempts !== undefined) checkAttempts(owner, maxAttempts)
}

const attemptsField = "service.maxAttempts"

const checkAttempts = (owner: string, byBehaviour: Exclude<Service["maxAttempts"], number | undefined>): void => {
  if (!Predicate.isRecord(byBehaviour)) {
    const allowed = "a number, or a record of numbers by behaviour and mode"
    return Argument.refuse(owner, attemptsField, allowed, byBehaviour)
  }
  for (const [behaviour, byMode] of Object.entries(byBehaviour)) {
    const field = `${attemptsField}.${behaviour}`
    if (byMode === undefined) continue
    if (!Predicate.isRecord(byMode)) Argument.refuse(owner, field, "a record of numbers by mode", byMode)
    for (const [mode, attempts] of Object.entries(byMode)) {
      if (attempts !== undefined) Argument.number(owner, `${field}.${mode}`, attempts, Settings.attempts)
    }
  }
}
