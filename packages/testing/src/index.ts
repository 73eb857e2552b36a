export * as SeededRandom from "./SeededRandom.ts"
