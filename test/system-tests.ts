const record = ['subgraphs/kernel/record', 'subgraphs/kernel/database', 'subgraphs/kernel/outbox']
const queue = ['subgraphs/kernel/queue', 'subgraphs/kernel/jobs']
const embedded = ['subgraphs/kernel/database']
const edge = ['gateway/edge', 'gateway/graph', 'subgraphs/kernel/subgraph']

/**
 * Tests that kill processes, restart servers, measure waiting times or run clients, with the code that can break them: folders and files
 * whose change lets `npm run test:system` run them again. `npm test` has one test of each of these kinds.
 */
export const systemTests: Readonly<Record<string, readonly string[]>> = {
  'gateway/pages/browser.system.test.ts': ['gateway/pages'],
  'subgraphs/demo/demo.system.test.ts': ['subgraphs/demo'],
  'subgraphs/kernel/database/embedded-root.system.test.ts': embedded,
  'subgraphs/kernel/database/embedded.system.test.ts': embedded,
  'subgraphs/kernel/sandbox/hostile.system.test.ts': ['subgraphs/kernel/sandbox'],
  'test/callers/two-gateways.system.test.ts': [
    'subgraphs/identity/credential',
    'subgraphs/kernel/counters',
    'gateway/edge',
  ],
  'test/clients/customer-pages.system.test.ts': [
    'gateway/pages/customer-page.ts',
    'gateway/public-invoices',
    'gateway/public-quotes',
    'subgraphs/kernel/mail/mail-content.ts',
  ],
  'test/clients/generators.system.test.ts': [
    'schema',
    'gateway/pages/guides/generated-clients.md',
    'test/clients/package.json',
  ],
  'test/clients/guides.system.test.ts': ['gateway/pages/guides', 'gateway/subscriptions', 'subgraphs/events/delivery'],
  'test/clients/readme-example.system.test.ts': [
    'gateway/pages/guides/live-board.md',
    'gateway/subscriptions',
    'subgraphs/events/listen',
  ],
  'test/clients/web-page.system.test.ts': ['gateway/edge', 'gateway/subscriptions', 'test/clients/package.json'],
  'test/extensions/hook-time.system.test.ts': ['subgraphs/extensions/hook', 'subgraphs/kernel/outbound'],
  'test/faults/assistant.system.test.ts': ['subgraphs/assistant', 'subgraphs/kernel/language-model', ...queue],
  'test/faults/backup.system.test.ts': ['operate.ts', 'subgraphs/identity/operator.ts', ...embedded],
  'test/faults/event-log.system.test.ts': ['subgraphs/kernel/outbox'],
  'test/faults/invoices.system.test.ts': [
    'subgraphs/commerce/credit-note',
    'subgraphs/commerce/invoice',
    'subgraphs/commerce/public-invoice',
    'subgraphs/commerce/dunning',
    'subgraphs/kernel/payment',
    ...record,
  ],
  'test/faults/mailboxes.system.test.ts': ['subgraphs/outreach/mailbox', ...queue],
  'test/faults/operate.system.test.ts': [
    'operate.ts',
    'subgraphs/identity/operator.ts',
    'subgraphs/kernel/secrets',
    ...embedded,
  ],
  'test/faults/process.system.test.ts': ['main.ts', ...embedded, ...record],
  'test/faults/recovery.system.test.ts': ['main.ts', 'subgraphs/demo/demo.ts', ...embedded],
  'test/faults/refused-starts.system.test.ts': ['main.ts', 'bin', 'subgraphs/kernel/config', ...embedded],
  'test/faults/sales-jobs.system.test.ts': [
    'subgraphs/commerce/quote',
    'subgraphs/commerce/order',
    'subgraphs/crm/lead-conversion',
    'subgraphs/crm/task',
    ...record,
    ...queue,
  ],
  'test/faults/smart-email.system.test.ts': ['subgraphs/outreach/smart-email', ...queue],
  'test/faults/sequences.system.test.ts': ['subgraphs/outreach/enrollment', 'subgraphs/outreach/sequence', ...queue],
  'test/faults/functions.system.test.ts': [
    'subgraphs/extensions/function',
    'subgraphs/extensions/subscription',
    'subgraphs/extensions/trigger',
    ...queue,
  ],
  'test/faults/workflows.system.test.ts': ['subgraphs/extensions/workflow', ...queue],
  'test/faults/simulation.system.test.ts': ['subgraphs/insights/simulation', ...queue],
  'test/faults/shutdown.system.test.ts': ['main.ts', 'start-gateway.ts', 'worker.ts', 'bin'],
  'test/faults/usage-counts.system.test.ts': ['subgraphs/identity/usage', 'subgraphs/kernel/counters'],
  'test/faults/webhooks-main.system.test.ts': ['subgraphs/events/delivery', 'subgraphs/events/webhook', ...queue],
  'test/faults/webhooks.system.test.ts': [
    'subgraphs/events/delivery',
    'subgraphs/events/webhook',
    'subgraphs/kernel/outbound',
    ...record,
    ...queue,
  ],
  'test/hostile/blocking.system.test.ts': [
    'subgraphs/kernel/work',
    'subgraphs/kernel/time',
    'subgraphs/support/case',
    'subgraphs/commerce/quote',
    'subgraphs/insights/engagement',
  ],
  'test/hostile/conversations.system.test.ts': ['subgraphs/assistant', 'subgraphs/kernel/language-model'],
  'test/hostile/isolation.system.test.ts': [...edge, ...record],
  'test/hostile/publish-flood.system.test.ts': ['subgraphs/events/custom-event-stream', 'subgraphs/events/delivery'],
  'test/hostile/resources.system.test.ts': ['rest-adapter', ...edge],
  'test/hostile/simulations.system.test.ts': ['subgraphs/insights/simulation', 'subgraphs/kernel/work'],
  'test/hostile/subscriptions.system.test.ts': ['gateway/subscriptions', 'subgraphs/events/listen'],
  'test/outreach/mailbox-idle.system.test.ts': ['subgraphs/outreach/mailbox', ...queue],
  'test/several-processes/live-stream.system.test.ts': ['gateway/subscriptions', 'subgraphs/events/listen'],
  'test/several-processes/operating.system.test.ts': ['subgraphs/kernel/tracing', ...edge],
  'test/several-processes/rolling-restart.system.test.ts': ['main.ts', 'start-gateway.ts', 'subgraphs/kernel/subgraph'],
  'test/webhooks/dead-endpoint.system.test.ts': ['subgraphs/events/delivery', ...queue],
  'test/webhooks/flood.system.test.ts': ['subgraphs/events/delivery', 'subgraphs/kernel/condition'],
}
