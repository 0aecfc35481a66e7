import { existingCustomEvents } from '../../../events/public.ts'
import { mutate } from './graph-call.ts'
import { problemAt, settings, type StepType } from './step-type.ts'

export const publishEvent: StepType = {
  type: 'PUBLISH_EVENT',
  schema: settings(
    { apiName: { type: 'string', pattern: '^[a-z][a-z0-9_]{1,47}$' }, data: { type: 'object', maxProperties: 100 } },
    ['apiName', 'data'],
  ),
  scopes: () => ['PUBLISH_EVENTS'],
  isRepeatable: () => true,
  async problems({ ctx, config, path }) {
    const exists = (await existingCustomEvents(ctx, [config['apiName']])).size > 0
    return exists ? [] : [problemAt(`${path}.apiName`, 'UNKNOWN_EVENT', 'must be the apiName of a custom event type')]
  },
  run: (run) =>
    mutate(
      run,
      'mutation ($apiName: String!, $data: JSON!) { result: customEventPublish(apiName: $apiName, data: $data) { id } }',
      { apiName: run.input['apiName'], data: run.input['data'] },
      (result) => ({ id: (result as { id: string }).id }),
    ),
}
