export * from "@effect-retry/plan/SeededRandom"
