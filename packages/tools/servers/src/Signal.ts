/** Signals to processes that may have ended. */

/**
 * Sends a signal, and answers whether the process was there to take it; 0 only asks. A process that has ended counts until its
 * parent reaps it.
 */
export const send = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false
    throw error
  }
}
