/**
 * Policies to compare with, by name. Pure.
 */
export const presets = {
  once: "no retry",
  standard: "Policy.standard",
  awsStandard: "AWS SDKs, standard",
  awsDynamodb: "AWS SDKs, DynamoDB",
  awsLegacyBotocore: "AWS, legacy mode of botocore",
  celery: "Celery's back-off"
} as const

export type PresetKey = keyof typeof presets

export const isPresetKey = (key: string): key is PresetKey => Object.hasOwn(presets, key)
