/**
 * The areas of the product: what `npm test -- <area>` runs, and which tests of `test:system` belong to changed files. Paths are
 * prefixes of test files.
 */
export interface Area {
  /** Folders of the code of this area. */
  readonly code: readonly string[]
  /** Further tests of it; those in its own folders always belong to it. */
  readonly tests: readonly string[]
  /** Its tests that kill processes, restart servers or measure times. */
  readonly system: readonly string[]
}

const rest = (...names: readonly string[]): string[] => names.map((name) => `test/rest/${name}`)

export const areas: Readonly<Record<string, Area>> = {
  crm: {
    code: ['subgraphs/crm/'],
    tests: rest('account', 'compan', 'concurrent-account', 'opportunit', 'record-events', 'totals'),
    system: ['test/faults/sales-jobs'],
  },
  commerce: {
    code: ['subgraphs/commerce/', 'gateway/public-'],
    tests: rest('customer-mails', 'documents', 'dunning', 'invoice', 'orders', 'products', 'public-', 'quote'),
    system: ['test/faults/invoices', 'test/faults/sales-jobs'],
  },
  support: { code: ['subgraphs/support/'], tests: rest('case'), system: [] },
  identity: {
    code: ['subgraphs/identity/', 'gateway/oauth/', 'rest-adapter/scim/'],
    tests: [
      'test/oauth/',
      'test/callers/',
      ...rest('admin', 'api-', 'auth', 'cookies', 'currencies', 'email-addresses', 'expiry', 'field-security'),
      ...rest('invitations', 'meeting', 'plan', 'profiles', 'scim', 'sign-in', 'unverified'),
    ],
    system: ['test/faults/operate', 'test/faults/usage-counts', 'test/callers/two-gateways'],
  },
  outreach: {
    code: ['subgraphs/outreach/', 'gateway/mail-links/'],
    tests: ['test/outreach/', ...rest('mail-limits')],
    system: ['test/faults/mailboxes', 'test/faults/sequences', 'test/faults/smart-email'],
  },
  events: {
    code: ['subgraphs/events/', 'gateway/subscriptions/'],
    tests: ['test/webhooks/', 'test/notifications/', ...rest('custom-events', 'event-catalog', 'live-stream')],
    system: ['test/faults/webhooks', 'test/faults/streams', 'test/webhooks/', 'test/several-processes/live-stream'],
  },
  kernel: { code: ['subgraphs/kernel/'], tests: ['test/contract/'], system: ['test/'] },
  gateway: { code: ['gateway/', 'start-gateway.ts', 'open-graph.ts'], tests: ['test/graphql/'], system: ['test/'] },
  rest: { code: ['rest-adapter/', 'schema/rest/'], tests: ['test/rest/', 'test/requests/'], system: [] },
  operations: {
    code: ['main.ts', 'worker.ts', 'operate.ts', 'bin/', 'subgraphs/demo/', 'package.json'],
    tests: ['test/faults/'],
    system: ['test/faults/', 'test/several-processes/'],
  },
  hostile: { code: [], tests: ['test/hostile/'], system: ['test/hostile/'] },
  clients: { code: ['test/clients/'], tests: ['test/clients/'], system: [] },
}

const startsWithAny = (file: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => file.startsWith(prefix))

/** The filters of Vitest for an area, or for a path as it is. */
export const filtersOf = (name: string): readonly string[] => {
  const area = areas[name]
  return area ? [...area.code.filter((path) => path.endsWith('/')), ...area.tests] : [name]
}

/** The system tests of the areas to which these files belong. A changed system test belongs to itself. */
export function systemTestsOf(changed: readonly string[]): string[] {
  const touched = Object.values(areas).filter(({ code }) => changed.some((file) => startsWithAny(file, code)))
  const own = changed.filter((file) => file.endsWith('.system.test.ts'))
  return [...new Set([...touched.flatMap(({ system }) => system), ...own])].toSorted()
}
