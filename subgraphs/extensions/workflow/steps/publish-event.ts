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
    const [row] = await ctx.db.query(
      'select 1 from events.custom_event_type where organization_id = $1 and api_name = $2 and deleted_at is null',
      [ctx.caller.organizationId, config['apiName']],
    )
    return row ? [] : [problemAt(`${path}.apiName`, 'UNKNOWN_EVENT', 'must be the apiName of a custom event type')]
  },
  run: (run) =>
    mutate(
      run,
      'mutation ($apiName: String!, $data: JSON!) { result: customEventPublish(apiName: $apiName, data: $data) { id } }',
      { apiName: run.input['apiName'], data: run.input['data'] },
      (result) => ({ id: (result as { id: string }).id }),
    ),
}
