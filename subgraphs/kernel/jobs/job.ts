import type { Services } from '../request.ts'

/** Scheduled work; any free worker runs it. It must be idempotent, because it is repeated after a crash. */
export interface Job {
  /** `case.autoClose` */
  readonly name: string
  /** Five cron fields, UTC. */
  readonly cron: string
  run(services: Services): Promise<void>
}
