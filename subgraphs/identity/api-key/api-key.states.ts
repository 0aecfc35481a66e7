import { refusalInState, type StateMachine } from '../../kernel/record/transitions.ts'
import type { Refusal } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { statusOf, type ApiKey } from './api-key.ts'

type Status = ReturnType<typeof statusOf>
type KeyInState = Pick<ApiKey, 'id'> & { readonly status: Status }

export const apiKeyStates: StateMachine<KeyInState, Status> = {
  name: 'API key',
  scope: 'SESSION',
  transitions: {
    // The time makes it EXPIRED.
    ACTIVE: { ROTATING: ['apiKeyRotate'], EXPIRED: [], REVOKED: ['apiKeyRevoke'] },
    ROTATING: { ACTIVE: ['apiKeyRevoke'], EXPIRED: [], REVOKED: ['apiKeyRevoke'] },
    EXPIRED: { ACTIVE: ['apiKeyUpdate'], REVOKED: ['apiKeyRevoke'] },
    REVOKED: {},
  },
}

export const keyRefusal = (ctx: RequestContext, previous: ApiKey, message: string): Promise<Refusal> =>
  refusalInState(ctx, apiKeyStates, { ...previous, status: statusOf(previous, ctx.clock.now()) }, message)
