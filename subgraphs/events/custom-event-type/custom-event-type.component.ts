import { phases } from '../../kernel/metadata/component.ts'
import { recordComponent } from '../../kernel/metadata/record-component.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { customEventType } from './custom-event-type.record.ts'
import { apiNamePattern } from './custom-event-type.ts'

const types = recordsOf(customEventType)

export const customEventTypeComponent = recordComponent({
  type: 'CUSTOM_EVENT_TYPE',
  noun: 'custom event type',
  description:
    'A type of events that the organization publishes as custom.<apiName>: events/<apiName>.event.json. A changed schema is the next version of the type.',
  folder: 'events',
  suffix: '.event.json',
  phase: phases.events,
  definition: customEventType,
  properties: {
    apiName: { rules: { pattern: apiNamePattern.source } },
    label: {},
    description: {},
    schema: { rules: { type: 'object' } },
    publishAccess: {},
  },
  required: ['apiName', 'label', 'schema'],
  nameOf: ({ apiName }) => String(apiName),
  create: (ctx, values) => {
    requireAdministrator(ctx)
    return types.create(ctx, values)
  },
  update: (ctx, id, values, version) => {
    requireAdministrator(ctx)
    return types.update(ctx, id, values, version)
  },
  remove: (ctx, id, version) => {
    requireAdministrator(ctx)
    return types.remove(ctx, id, version)
  },
})
