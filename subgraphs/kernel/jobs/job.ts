import type { Services } from '../request.ts'

/** Work that the clock starts, in whichever worker is free. Running twice must do no harm: a crash repeats it. */
export interface Job {
  /** `case.autoClose` */
  readonly name: string
  /** Five cron fields, UTC. */
  readonly cron: string
  run(services: Services): Promise<void>
}
