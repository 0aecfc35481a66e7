/**
 * The areas of the product: what `npm test -- <area>` runs. Paths are prefixes. A test belongs to the areas whose code or tests contain
 * its path; `test/contract/areas.test.ts` finds code and tests without an area.
 */
export interface Area {
  /** Folders and files of the product. */
  readonly code: readonly string[]
  /** Tests of it that are not beside the code. */
  readonly tests: readonly string[]
}

const rest = (...names: readonly string[]): string[] => names.map((name) => `test/rest/${name}`)
const graphql = (...names: readonly string[]): string[] => names.map((name) => `test/graphql/${name}`)

export const areas: Readonly<Record<string, Area>> = {
  crm: {
    code: ['subgraphs/crm/'],
    tests: rest(
      'account-',
      'account.',
      'accounts',
      'companies',
      'concurrent-account',
      'names-per',
      'opportunit',
      'totals',
    ),
  },
  commerce: {
    code: ['subgraphs/commerce/'],
    tests: rest(
      'customer-mails',
      'documents',
      'dunning',
      'hidden-in-documents',
      'invoice',
      'online-payments',
      'orders',
      'products',
      'public-',
      'quote',
    ),
  },
  support: { code: ['subgraphs/support/'], tests: rest('case') },
  identity: {
    code: ['subgraphs/identity/'],
    tests: [
      'test/oauth/',
      'test/callers/',
      ...rest('admin', 'api-', 'auth', 'cookies', 'currencies', 'email-addresses', 'expiry', 'field-security'),
      ...rest('invitations', 'meeting', 'plan', 'profiles', 'scim', 'sign-in', 'unverified'),
      ...graphql('users', 'visibility'),
    ],
  },
  automation: { code: ['subgraphs/kernel/automation/', 'subgraphs/kernel/rest-port/'], tests: ['test/automation/'] },
  assistant: { code: ['subgraphs/assistant/', 'gateway/public-ai-triggers/'], tests: ['test/assistant/'] },
  outreach: {
    code: ['subgraphs/outreach/'],
    tests: ['test/outreach/', ...rest('encoded-words', 'mail-limits', 'mails-to')],
  },
  events: {
    code: ['subgraphs/events/'],
    tests: [
      'test/webhooks/',
      'test/notifications/',
      'test/emitted-events',
      ...rest('custom-events', 'event-catalog', 'live-stream', 'record-events'),
      ...graphql('event-subscriptions', 'left-sight', 'subscriptions'),
    ],
  },
  insights: {
    code: ['subgraphs/insights/'],
    tests: ['test/insights/', ...rest('engagement-scoring', 'stored-engagement')],
  },
  records: { code: ['subgraphs/records/', 'subgraphs/kernel/search/'], tests: [] },
  extensions: {
    code: ['subgraphs/extensions/', 'subgraphs/kernel/metadata/', 'gateway/workflow-hooks/'],
    tests: ['test/extensions/', 'test/metadata/'],
  },
  kernel: {
    code: ['subgraphs/kernel/'],
    tests: ['test/contract/', ...rest('days', 'idempotency', 'if-match', 'concurrency')],
  },
  gateway: {
    code: ['gateway/', 'start-gateway.ts', 'open-graph.ts'],
    tests: ['test/graphql/', 'test/clients/', 'test/people/'],
  },
  rest: {
    code: ['rest-adapter/', 'schema/'],
    tests: ['test/rest/', 'test/requests/', 'test/clients/', 'test/people/'],
  },
  operations: {
    code: [
      'subgraphs/demo/',
      'subgraphs/all.ts',
      'subgraphs/endpoints.ts',
      'main.ts',
      'worker.ts',
      'operate.ts',
      'bin/',
    ],
    tests: ['subgraphs/queue-deadlines', 'test/faults/', 'test/several-processes/'],
  },
  cli: { code: ['cli/'], tests: ['test/cli/'] },
  hostile: { code: [], tests: ['test/hostile/'] },
}

const startsWithAny = (path: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => path.startsWith(prefix))

/** The prefixes of all tests of an area. */
export const testsOf = ({ code, tests }: Area): readonly string[] => [
  ...code.filter((path) => path.endsWith('/')),
  ...tests,
]

/** The names of the areas to which a file of the product or a test belongs. */
export const areasOf = (path: string): string[] =>
  Object.keys(areas).filter((name) => startsWithAny(path, [...areas[name]!.code, ...areas[name]!.tests]))
