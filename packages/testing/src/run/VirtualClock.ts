export * from "@effect-retry/plan/VirtualClock"
