/**
 * The runner of tests, with less to do beside each test.
 *
 * It gives the event loop a turn after every test: effects that never wait leave it none from one test to the next, and a
 * reporter that gets no answer for a minute takes the worker for lost. And it reports no durations of imports: a worker
 * sends those of all modules that it ever loaded with every file.
 */
import type { RunnerTestCase } from "vitest"
import { VitestTestRunner } from "vitest/runners"

// Before a test replaces it by that of a fake clock.
const { setImmediate } = globalThis

export default class extends VitestTestRunner {
  override async onAfterRunTask(test: RunnerTestCase): Promise<void> {
    super.onAfterRunTask(test)
    await new Promise<void>((resolve) => void setImmediate(resolve))
  }

  override getImportDurations(): Record<string, never> {
    return {}
  }
}
