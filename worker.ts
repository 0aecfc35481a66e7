import 'reflect-metadata'
import { jobs, migrations, queues } from './subgraphs/all.ts'
import type { Config } from './subgraphs/kernel/config.ts'
import { startWorker } from './subgraphs/kernel/jobs/worker.ts'
import { keepEventPartitions } from './subgraphs/kernel/outbox/event-partitions.ts'
import { QueueWorker } from './subgraphs/kernel/queue/queue-worker.ts'
import { runProcess } from './subgraphs/kernel/process.ts'
import type { OpenServices } from './subgraphs/kernel/services.ts'

/** What the clock and the queues start; any number of processes may run it. */
export async function startBackground(services: OpenServices): Promise<{ close(): Promise<void> }> {
  // Now, because the last worker may have stopped months ago; what fails is tried again by the job.
  await keepEventPartitions(services).catch((error: unknown) =>
    services.log.error({ err: error }, 'no event partitions'),
  )
  const worker = await startWorker({ databaseUrl: services.databaseUrl, jobs, services })
  const queueWorker = await QueueWorker.start(services, services.databaseUrl, queues)
  return {
    async close() {
      await queueWorker.close()
      await worker.stop()
    },
  }
}

async function runWorker(_config: Config, services: OpenServices): Promise<{ close(): Promise<void> }> {
  const background = await startBackground(services)
  services.log.info({ jobs: jobs.map(({ name }) => name) }, 'the worker runs')
  return background
}

if (import.meta.main) await runProcess(migrations, () => runWorker)
