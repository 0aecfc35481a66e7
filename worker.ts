import 'reflect-metadata'
import { jobs, migrations, queues } from './subgraphs/all.ts'
import type { Config } from './subgraphs/kernel/config/config.ts'
import { startWorker } from './subgraphs/kernel/jobs/worker.ts'
import { maintainEventPartitions } from './subgraphs/kernel/outbox/event-partitions.ts'
import { QueueWorker } from './subgraphs/kernel/queue/queue-worker.ts'
import { runProcess } from './subgraphs/kernel/process.ts'
import type { OpenServices } from './subgraphs/kernel/services.ts'

/** Starts the scheduled jobs and the workers of the queues. Any number of processes may run it. */
export async function startBackground(services: OpenServices): Promise<{ close(): Promise<void> }> {
  // Partitions are created at start, because the last worker may have stopped months ago. If this fails, the job tries again.
  await maintainEventPartitions(services).catch((error: unknown) =>
    services.log.error({ err: error }, 'event partitions could not be created'),
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
