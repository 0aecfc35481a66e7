import type { TestProject } from 'vitest/node'
import { templates } from './loaded-once.ts'
import type { Template } from './template-database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the migrated, empty template database that tests copy. */
    templateUrl: string
    /** Folder for the files of other templates. */
    templateFolder: string
  }
}

interface Shared {
  projects: number
  readonly started: Promise<Template>
}

// Each project of the configuration loads this file anew, in the same process.
const shared: { template?: Shared } = ((globalThis as Record<symbol, object>)[Symbol.for('crm-test')] ??= {})

/** Starts one PostgreSQL for the whole run; every test file gets a copy of a migrated template database. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const template = (shared.template ??= {
    projects: 0,
    started: templates().then(({ startTemplate }) => startTemplate()),
  })
  template.projects += 1
  const { templateUrl, folder, stop } = await template.started
  project.provide('templateUrl', templateUrl)
  project.provide('templateFolder', folder)
  return async () => {
    template.projects -= 1
    if (template.projects === 0) await stop()
  }
}
