import 'reflect-metadata'
import { jobs, migrations } from './subgraphs/all.ts'
import type { Config } from './subgraphs/kernel/config.ts'
import { startWorker } from './subgraphs/kernel/jobs/worker.ts'
import { MailDelivery } from './subgraphs/kernel/mail/mail-delivery.ts'
import { keepEventPartitions } from './subgraphs/kernel/outbox/event-partitions.ts'
import { runProcess } from './subgraphs/kernel/process.ts'
import type { OpenServices } from './subgraphs/kernel/services.ts'

/** Starts the scheduled jobs and the delivery of queued mail. Any number of processes may run it. */
export async function startBackground(services: OpenServices): Promise<{ close(): Promise<void> }> {
  // Partitions are made at start, because the last worker may have stopped months ago. If it fails, the job retries it.
  await keepEventPartitions(services).catch((error: unknown) =>
    services.log.error({ err: error }, 'event partitions could not be created'),
  )
  const worker = await startWorker({ databaseUrl: services.databaseUrl, jobs, services })
  const mail = await MailDelivery.start(services, services.databaseUrl)
  return {
    async close() {
      await mail.close()
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
