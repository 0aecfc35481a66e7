import 'reflect-metadata'
import { jobs, migrations } from './subgraphs/all.ts'
import { startWorker } from './subgraphs/kernel/jobs/worker.ts'
import { runProcess } from './subgraphs/kernel/process.ts'

if (import.meta.main) {
  await runProcess(migrations, async (_config, services) => {
    const worker = await startWorker({ databaseUrl: services.databaseUrl, jobs, services })
    services.log.info({ jobs: jobs.map(({ name }) => name) }, 'the worker runs')
    return { close: () => worker.stop() }
  })
}
