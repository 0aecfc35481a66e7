import 'reflect-metadata'
import { connectGraph } from './open-graph.ts'
import { background, consumers, jobs, measuredQueues, migrations, queues } from './subgraphs/all.ts'
import type { Config } from './subgraphs/kernel/config/config.ts'
import { releaseVersion } from './subgraphs/kernel/config/paths.ts'
import { startWorker } from './subgraphs/kernel/jobs/worker.ts'
import { measureBacklog } from './subgraphs/kernel/operate/backlog.ts'
import { startPrivateServer } from './subgraphs/kernel/operate/private-server.ts'
import { ProcessMetrics } from './subgraphs/kernel/operate/process-metrics.ts'
import { EventConsumers } from './subgraphs/kernel/outbox/event-consumers.ts'
import { maintainEventPartitions } from './subgraphs/kernel/outbox/event-partitions.ts'
import { QueueWorker } from './subgraphs/kernel/queue/queue-worker.ts'
import { runProcess } from './subgraphs/kernel/process.ts'
import type { OpenServices } from './subgraphs/kernel/services.ts'

/** Starts the scheduled jobs, the workers of the queues, the readers of the event log and what waits for the outside. Any number of processes may run it. */
export async function startBackground(services: OpenServices): Promise<{ close(): Promise<void> }> {
  // Partitions are created at start, because the last worker may have stopped months ago. If this fails, the job tries again.
  await maintainEventPartitions(services).catch((error: unknown) =>
    services.log.error({ err: error }, 'event partitions could not be created'),
  )
  const endMeasuring = measureBacklog(services.database, measuredQueues)
  const worker = await startWorker({ databaseUrl: services.databaseUrl, jobs, services })
  const queueWorker = await QueueWorker.start(services, services.databaseUrl, queues)
  const eventConsumers = await EventConsumers.start(services, services.databaseUrl, consumers)
  const running = background.map((start) => start(services))
  return {
    async close() {
      endMeasuring()
      await Promise.all(running.map((one) => one.close()))
      await eventConsumers.close()
      await queueWorker.close()
      await worker.stop()
    },
  }
}

async function runWorker(config: Config, services: OpenServices): Promise<{ close(): Promise<void> }> {
  connectGraph(config, services)
  const started = await startBackground(services)
  const privately = await startPrivateServer(config, new ProcessMetrics(services), services.notReady)
  const names = jobs.map(({ name }) => name)
  services.log.info({ version: releaseVersion, metricsUrl: privately.url, jobs: names }, 'the worker runs')
  return {
    async close() {
      await privately.close()
      await started.close()
    },
  }
}

if (import.meta.main) await runProcess(migrations, () => runWorker)
