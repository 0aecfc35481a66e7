/** What the two scopes of an area open, READ_<area> and WRITE_<area>. */
export interface ScopeArea {
  /** The paths of REST that need the scopes, for people. */
  readonly paths: string
  /** What an administrator grants, one sentence for each scope. Null: the area has no WRITE scope. */
  readonly read: string
  readonly write: string | null
  /**
   * Whether the specification names the scopes. For what needs those of any other area it states the scope `*`, which is enough in every area
   * and is therefore named beside them in the contract of REST.
   */
  readonly isStated: boolean
  /** Whether the legacy scopes `read` and `write` cover the area: "only leads through activities, and webhooks", without orders. */
  readonly isLegacy: boolean
}

const stated = (paths: string, what: string, legacy: 'LEGACY' | null): ScopeArea => ({
  paths,
  read: `Read ${what}.`,
  write: `Read and change ${what}.`,
  isStated: true,
  isLegacy: legacy !== null,
})

const added = (paths: string, read: string, write: string | null): ScopeArea => ({
  paths,
  read,
  write,
  isStated: false,
  isLegacy: false,
})

/** Every area: the scopes of keys and apps, the contract, the consent page and the table of the guide follow from this list. */
export const scopeAreas: Readonly<Record<string, ScopeArea>> = {
  LEADS: stated('/v1/leads', 'leads', 'LEGACY'),
  CONTACTS: stated('/v1/contacts', 'contacts', 'LEGACY'),
  ACCOUNTS: stated('/v1/accounts, /v1/companies', 'accounts', 'LEGACY'),
  OPPORTUNITIES: stated('/v1/opportunities, /v1/deals, /v1/pipelines', 'opportunities', 'LEGACY'),
  PRODUCTS: stated('/v1/products', 'products', 'LEGACY'),
  QUOTES: stated('/v1/quotes', 'quotes', 'LEGACY'),
  ORDERS: stated('/v1/orders', 'orders', null),
  TASKS: stated('/v1/tasks', 'tasks', 'LEGACY'),
  ACTIVITIES: stated('/v1/activities', 'activities', 'LEGACY'),
  CASES: stated('/v1/cases', 'cases', null),
  CUSTOM_OBJECTS: stated('/v1/custom-objects', 'custom objects', null),
  CUSTOM_FIELDS: stated('/v1/custom-fields', 'custom fields', null),
  WEBHOOKS: stated('/v1/webhooks', 'webhooks', 'LEGACY'),
  INVOICES: added(
    '/v1/invoices, /v1/payments, /v1/credit-notes',
    'Read invoices, payments, credit notes and the settings of reminders.',
    'Read and change invoices and credit notes, send invoices, record payments and refunds, and change the settings of reminders.',
  ),
  EMAILS: added(
    '/v1/email-tracking, /v1/smart-email',
    'Read emails and their drafts.',
    'Read emails, and write and send them.',
  ),
  EMAIL_TEMPLATES: added('/v1/email-templates', 'Read email templates.', 'Read and change email templates.'),
  MAILBOXES: added(
    '/v1/email-tracking/mailboxes, /v1/email-tracking/imap',
    'Read which mailboxes are connected.',
    'Connect, change, test and poll mailboxes.',
  ),
  SEQUENCES: added(
    '/v1/sequences, /v1/sequence-enrollments',
    'Read sequences, and who is enrolled in them.',
    'Read and change sequences, and enroll leads and contacts, to whom they then send emails.',
  ),
  CONVERSATIONS: added(
    '/v1/conversations, /v1/proposals',
    'Read conversations with the assistant, and what it has proposed.',
    'Ask the assistant, and confirm or reject what it has proposed.',
  ),
  FILES: added('/v1/files', 'Read and download files.', 'Read, upload, change and delete files.'),
  DOCUMENTS: added('/v1/documents', 'Read documents.', 'Read, upload and change documents.'),
  CUSTOMER_VIEW: added(
    '/customer-360',
    'Read accounts on one page, with what the other scopes permit to read about them.',
    null,
  ),
  SCORES: added('/v1/deal-scoring', 'Read the scores of deals, and how good they are.', null),
  FORECASTS: added('/v1/quota-forecast', 'Read quotas and forecasts.', 'Read and change quotas, and submit forecasts.'),
  SIMULATIONS: added(
    '/v1/pipeline-simulation',
    'Read simulations of the pipeline.',
    'Read, create and run simulations of the pipeline.',
  ),
  HEALTH_TRIAGE: added(
    '/v1/health-triage',
    'Read which accounts are at risk, and why.',
    'Read which accounts are at risk, act on it, and change how the risk is found.',
  ),
  NOTIFICATIONS: added(
    '/v1/notifications',
    'Read your notifications and their settings.',
    'Read, mark and delete your notifications, and change their settings.',
  ),
  CUSTOM_EVENT_TYPES: added(
    '/v1/custom-event-types',
    'Read the event types of the organization.',
    'Read and change the event types of the organization.',
  ),
  VALIDATION_RULES: added(
    '/v1/validation-rules',
    'Read validation rules.',
    'Read and change validation rules, which refuse changes of records.',
  ),
  DUPLICATE_RULES: added(
    '/v1/duplicate-rules',
    'Read rules of duplicates.',
    'Read and change rules of duplicates, which find records that are the same and refuse changes that make some.',
  ),
  LAYOUTS: added(
    '/v1/layouts',
    'Read layouts.',
    'Read and change layouts, which arrange the fields of records in front ends.',
  ),
  PAGES: added('/v1/pages', 'Read pages.', 'Read and change pages, which arrange what front ends show for records.'),
  HOOKS: added(
    '/v1/hooks, /v1/after-save-triggers',
    'Read hooks and triggers.',
    'Read and change hooks and triggers, which receive saved records, and hooks change them.',
  ),
  CUSTOM_ACTIONS: added('/v1/custom-actions', 'Read custom actions.', 'Read and change custom actions.'),
  FUNCTIONS: added(
    '/v1/functions',
    'Read functions with their code, settings and invocations.',
    'Read, write, deploy and test functions, which act with at most the scopes of whoever writes them.',
  ),
  WORKFLOWS: added(
    '/v1/workflows, /v1/workflow-runs',
    'Read workflows and their runs.',
    'Read, write and run workflows, which act with at most the scopes of whoever writes them.',
  ),
  AI_WORKFLOWS: added(
    '/v1/webhook-ai-workflows',
    'Read AI workflows and their executions.',
    'Read and write AI workflows, which act with at most the scopes of whoever writes them, and approve what they do.',
  ),
}

/** Scopes that open one capability each. */
const actionScopes: Readonly<Record<string, string>> = {
  INVOKE_FUNCTIONS: 'Invoke functions.',
  MANAGE_METADATA: 'Retrieve and deploy metadata.',
  PUBLISH_EVENTS: 'Publish custom events and read the event catalog.',
  READ_EVENTS: 'Read the event catalog and custom events.',
}

/** What each scope of an area or an action opens, in one sentence, in the order of the reference. */
export const scopeSentences: ReadonlyMap<string, string> = new Map([
  ...Object.entries(scopeAreas).flatMap(([area, { read, write }]) => [
    [`READ_${area}`, read] as const,
    ...(write === null ? [] : [[`WRITE_${area}`, write] as const]),
  ]),
  ...Object.entries(actionScopes),
])

/** Scopes that apps may get (specification, Scopes). */
export const appScopes: readonly string[] = [...scopeSentences.keys()]

/** Scopes that a new key may get. Old keys may also have legacy scopes (`credentials/legacy-scopes.ts`). */
export const keyScopes: readonly string[] = ['*', ...appScopes]

const areaOf = (scope: string): ScopeArea | undefined => scopeAreas[scope.replace(/^(READ|WRITE)_/, '')]

/** `x-api-key-scopes`: all of these scopes are needed. `*`, which is enough alone, comes first where the specification states it. */
export const scopesInContract = (scopes: readonly string[]): readonly string[] =>
  scopes.some((scope) => areaOf(scope)?.isStated === false) ? ['*', ...scopes] : scopes

/** The scopes that a key without `*` needs, all of them, by `x-api-key-scopes`. */
export const scopesToGrant = (listed: readonly string[]): readonly string[] =>
  listed.length > 1 ? listed.filter((scope) => scope !== '*') : listed
