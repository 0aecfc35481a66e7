/** Aborts when the user ends the program, which then ends in its own way. A second time ends it at once. */
export function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort())
  return controller.signal
}
