import type * as TemplateDatabase from './template-database.ts'

type Templates = typeof TemplateDatabase

// Vitest loads the global setup of each project anew, in the same process, where the platform can register its metrics only once.
const shared: { templates?: Promise<Templates> } = ((globalThis as Record<symbol, object>)[
  Symbol.for('crm-test-templates')
] ??= {})

/** The module that creates template databases, loaded once for all projects. */
export const templates = (): Promise<Templates> => (shared.templates ??= import('./template-database.ts'))
