import { customerMails } from './commerce/customer-mail/customer-mails.ts'
import { commerce } from './commerce/subgraph.ts'
import { crm } from './crm/subgraph.ts'
import { eventsSubgraph } from './events/subgraph.ts'
import { readOrganizationExtensions } from './extensions/definitions/read-extensions.ts'
import { StoredCredentials } from './extensions/named-credential/credentials.ts'
import { extensions } from './extensions/subgraph.ts'
import {
  defaultBaseCurrency,
  exchangeRateSql,
  exchangeRatesSql,
  listedUser,
  organizationSettings,
  organizationZoneSql,
} from './identity/public.ts'
import { identity } from './identity/subgraph.ts'
import type { Migration } from './kernel/database/migrate.ts'
import { definitionVersion } from './kernel/extension/definition-version.migrations.ts'
import { fieldUsageQueries, fieldUsageTable } from './kernel/extension/field-usage.migrations.ts'
import { rollupTables } from './kernel/record/rollup/rollup.migrations.ts'
import { startRollupMerger } from './kernel/record/rollup/rollup-merger.ts'
import { valueIndexTable } from './kernel/record/value-index/value-index.migrations.ts'
import { registerExtensionReader } from './kernel/extension/extension.ts'
import { housekeeping, mergeTotalsJob } from './kernel/jobs/housekeeping.jobs.ts'
import type { Job } from './kernel/jobs/job.ts'
import { fileTable } from './kernel/file/file.migrations.ts'
import { mailJobs } from './kernel/mail/mail.jobs.ts'
import { isSuspended } from './identity/public.ts'
import { registerMetadataComponents } from './kernel/metadata/component.ts'
import { mailQueue } from './kernel/mail/mail-queue.ts'
import { sealedMail } from './kernel/mail/queue-mail.ts'
import {
  mailByTenants,
  mailCountTable,
  mailOfOrganizations,
  mailQueueTable,
  mailSharedQueue,
  mailTable,
  mailTrace,
} from './kernel/mail/mail.migrations.ts'
import { eventConsumerTable, type EventConsumer } from './kernel/outbox/event-consumer.ts'
import type { Queue } from './kernel/queue/queue.ts'
import { registerNamedCredentials } from './kernel/outbound/named-credentials.ts'
import { queueNotification } from './kernel/queue/queue-table.ts'
import { isRecordShape, type RecordShape } from './kernel/record/definition.ts'
import { registerEventSources, registerRecordTypes } from './kernel/record/record-registry.ts'
import { registerNamingRows } from './kernel/record/merge/naming-rows.ts'
import { mergedRecordTable } from './kernel/record/merge/merged-record.migrations.ts'
import { registerTimelineSources } from './kernel/record/timeline-source.ts'
import { customFieldFunctions } from './kernel/record/custom-field.migrations.ts'
import { formulaFunctions } from './kernel/formula/formula.migrations.ts'
import { emailFunctions } from './kernel/record/email-equality.migrations.ts'
import { externalIdFunctions } from './kernel/record/external-id/external-id.migrations.ts'
import { searchFunctions } from './kernel/record/search.migrations.ts'
import { searchTables } from './kernel/search/search.migrations.ts'
import { kernelTables } from './kernel/migrations/20261121-kernel.ts'
import { dropRecordTotal } from './kernel/migrations/20261122-kernel-drop-record-total.ts'
import { eventLogTables } from './kernel/migrations/20261122-kernel-event-log.ts'
import { storedBytesTable } from './kernel/stored-bytes/stored-bytes.migrations.ts'
import { eventOrigin } from './kernel/migrations/20261128-kernel-event-origin.ts'
import { eventLogByTime } from './kernel/migrations/20261130-kernel-event-log-time.ts'
import { eventOperation } from './kernel/migrations/20261130-kernel-event-operation.ts'
import { modelTokensTable } from './kernel/language-model/model-tokens.migrations.ts'
import type { SealedColumn } from './kernel/secrets/rotate.ts'
import { dataKeyTable } from './kernel/secrets/secrets.migrations.ts'
import { sealedAnswers } from './kernel/subgraph/idempotency.ts'
import { registerOrganizationFacts } from './kernel/record/aggregate/organization-facts.ts'
import { registerOrganizationZones } from './kernel/time/days.ts'
import { migrationsOf, type SubgraphDefinition } from './kernel/subgraph/subgraph.ts'
import { assistant } from './assistant/subgraph.ts'
import { insights } from './insights/subgraph.ts'
import { outreach } from './outreach/subgraph.ts'
import { records } from './records/subgraph.ts'
import { support } from './support/subgraph.ts'

/** Every domain of the platform; what owns tables that others refer to comes first. */
const domains: readonly SubgraphDefinition[] = [
  identity,
  crm,
  commerce,
  support,
  outreach,
  insights,
  assistant,
  extensions,
  records,
]

/** The domains, and the subgraph `events`, which is derived from their records. */
export const subgraphs: readonly SubgraphDefinition[] = [...domains, eventsSubgraph(domains)]

const recordTypesOf = ({ resources }: SubgraphDefinition): RecordShape[] =>
  resources.flatMap(({ entities = {}, announces = [] }) => [
    ...Object.values(entities),
    ...announces.filter(isRecordShape),
  ])

export const recordTypes: readonly RecordShape[] = subgraphs.flatMap(recordTypesOf)

/** What the record types have in common that organizations define. */
export const definedTypes: readonly RecordShape[] = subgraphs.flatMap(({ resources }) =>
  resources.flatMap(({ perOrganization }) => perOrganization ?? []),
)

// Records of identity are administered, not restricted by profiles.
registerRecordTypes(subgraphs.filter(({ name }) => name !== identity.name).flatMap(recordTypesOf))

registerOrganizationZones(async (ctx) => (await organizationSettings(ctx)).timezone ?? null, organizationZoneSql)

registerOrganizationFacts({
  async facts(ctx) {
    const {
      timezone = 'UTC',
      fiscalYearStartMonth = 1,
      baseCurrency = defaultBaseCurrency,
    } = await organizationSettings(ctx)
    return { timezone, fiscalYearStartMonth, baseCurrency }
  },
  rateSql: exchangeRateSql,
  ratesSql: exchangeRatesSql,
  users: listedUser,
})

registerExtensionReader(readOrganizationExtensions)

registerNamedCredentials((services) => new StoredCredentials(services))

registerEventSources(
  subgraphs.flatMap(({ resources }) =>
    resources
      .flatMap(({ entities = {}, announces = [] }) => [...Object.values(entities), ...announces])
      .filter(({ events }) => events !== undefined),
  ),
)

registerNamingRows(subgraphs.flatMap(({ resources }) => resources.flatMap(({ names = [] }) => names)))
registerMetadataComponents(subgraphs.flatMap(({ resources }) => resources.flatMap(({ component }) => component ?? [])))

registerTimelineSources(subgraphs.flatMap(({ resources }) => resources.flatMap(({ timeline = [] }) => timeline)))

export const migrations: readonly Migration[] = [
  kernelTables,
  dataKeyTable,
  mailTable,
  mailCountTable,
  eventLogTables,
  customFieldFunctions,
  searchFunctions,
  emailFunctions,
  externalIdFunctions,
  queueNotification,
  mailQueueTable,
  eventConsumerTable,
  ...subgraphs.flatMap(migrationsOf),
  dropRecordTotal,
  mailTrace,
  mailByTenants,
  mailOfOrganizations,
  mailSharedQueue,
  storedBytesTable,
  eventOrigin,
  eventLogByTime,
  eventOperation,
  modelTokensTable,
  fileTable,
  definitionVersion,
  valueIndexTable,
  formulaFunctions,
  searchTables,
  rollupTables,
  mergedRecordTable,
  fieldUsageTable,
  fieldUsageQueries,
]

/** What the clock starts in a worker, whichever subgraph it belongs to. */
export const jobs: readonly Job[] = [
  ...housekeeping,
  mergeTotalsJob([...recordTypes, ...definedTypes]),
  ...mailJobs,
  ...subgraphs.flatMap(({ resources }) => resources.flatMap(({ jobs: own = [] }) => own)),
]

/** Work that leaves the process, attempted in a worker as soon as it was queued. */
export const queues: readonly Queue[] = [
  mailQueue(customerMails, isSuspended),
  ...subgraphs.flatMap(({ resources }) => resources.flatMap(({ queues: own = [] }) => own)),
]

/** What the metrics of queues measure. */
export const measuredQueues = [
  ...queues,
  ...subgraphs.flatMap(({ resources }) => resources.flatMap(({ waiting = [] }) => waiting)),
]

/** What reacts to events by rows of the same database, in every worker. */
export const consumers: readonly EventConsumer[] = subgraphs.flatMap(({ resources }) =>
  resources.flatMap(({ consumers: own = [] }) => own),
)

/** What runs in every worker until it is closed. */
export const background = [
  startRollupMerger,
  ...subgraphs.flatMap(({ resources }) => resources.flatMap(({ background: own = [] }) => own)),
]

/** Every column with secrets that are read back. */
export const sealedColumns: readonly SealedColumn[] = [
  sealedAnswers,
  sealedMail,
  ...subgraphs.flatMap(({ resources }) => resources.flatMap(({ sealed = [] }) => sealed)),
]
