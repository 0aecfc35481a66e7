import { freshDatabase, type FreshDatabase, type FreshDatabaseOptions } from '../../../test/fresh-database.ts'
import type { Caller } from '../context.ts'
import { TenantDatabase } from '../database/tenant-database.ts'
import { newId } from '../ids.ts'
import { manualClock, servicesOf } from '../jobs/jobs.fixture.ts'
import { requestContext, systemContext, type RequestContext, type Services } from '../request.ts'
import type { CustomFieldDefinition } from './custom-field-column.ts'
import type { RecordShape } from './definition.ts'
import { readPage, type Page, type PageArgs } from './list.ts'
import { DefinedShapes } from './organization-shapes.ts'
import type { ShapeSource } from './shape-source.ts'

/** Definitions in memory, set by a test; each change creates a new version. */
export class InMemoryDefinitions implements ShapeSource {
  readonly #byOrganization = new Map<string, DefinedShapes>()

  define(organizationId: string, customFields: Readonly<Record<string, readonly CustomFieldDefinition[]>>): void {
    const version = (this.#byOrganization.get(organizationId)?.version ?? 0) + 1
    this.#byOrganization.set(organizationId, new DefinedShapes({ version, customFields }))
  }

  shapesOf(organizationId: string): DefinedShapes | null {
    return this.#byOrganization.get(organizationId) ?? null
  }

  load(_organizationId: string): Promise<unknown> | null {
    return null
  }
}

/** Organizations with custom fields, on a migrated database with row-level security. */
export class CustomFieldsFixture {
  readonly definitions = new InMemoryDefinitions()
  readonly clock = manualClock('2027-02-01T09:00:00.000Z')
  fresh!: FreshDatabase
  services!: Services
  #tenants!: TenantDatabase

  constructor(private readonly options: FreshDatabaseOptions = {}) {}

  async open(): Promise<void> {
    this.fresh = await freshDatabase(this.options)
    this.#tenants = new TenantDatabase({ url: this.fresh.url, guard: this.fresh.database.guard })
    const services = servicesOf(this.fresh.database, this.clock)
    this.services = { ...services, tenants: this.#tenants, shapes: this.definitions }
  }

  async close(): Promise<void> {
    await this.#tenants.close()
    await this.fresh.drop()
  }

  /** The context of a session of an owner who can see all records; `more` overrides properties of the caller. */
  context(organizationId: string, more: Partial<Caller> = {}): RequestContext {
    const { caller } = systemContext(this.services, organizationId)
    const acting: Caller = { ...caller, kind: 'SESSION', userId: newId(), ...more }
    return requestContext({ caller: acting, requestId: 'request', idempotency: null }, this.services)
  }
}

/** A page with its total, and the names of its records in page order. */
export async function pageOf(
  ctx: RequestContext,
  definition: RecordShape,
  args: PageArgs,
): Promise<Page & { readonly names: unknown[] }> {
  const record = new Set(['id', 'name', 'customFields'])
  const page = await readPage(ctx, definition, args, { page: new Set(['nextCursor']), record, total: true })
  return { ...page, names: page.data.map(({ name }) => name) }
}
