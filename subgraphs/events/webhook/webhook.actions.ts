import { invalid } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { change } from '../../kernel/record/records-of.ts'
import { save } from '../../kernel/record/save.ts'
import type { Decided } from '../../kernel/record/definition.ts'
import { loadDataKeys, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import {
  erasedSecrets,
  newSigningSecret,
  overlapHoursMax,
  rotatedSecrets,
} from '../../kernel/secrets/signing-secret.ts'
import type { EventNames } from './event-names.ts'
import { requestedHeaders, withoutValues } from './webhook-headers.ts'
import { headersPlace, secretPlace } from './webhook-secret.ts'
import type { WebhookContext } from './webhook.context.ts'
import { webhook } from './webhook.record.ts'
import { refuseProblems, requireActiveOwner, requireRightToChange, type WebhookInput } from './webhook.rules.ts'
import type { Webhook } from './webhook.ts'

export const overlapHoursDefault = 24

const sealSecret = ({ vault, caller: { organizationId } }: WebhookContext, id: string, secret: string): string =>
  vault.seal(organizationId, secretPlace(organizationId, id), secret)

interface HeaderValues {
  readonly shown?: Pick<Webhook, 'headers'>
  readonly sealed?: Pick<Webhook, 'sealedHeaders'>
}

const hostOf = (url: string): string | null => URL.parse(url)?.host ?? null

/**
 * The columns of the custom headers; nothing if they do not change. Their stored values are often secrets of the receiver, so they are never
 * sent to another host.
 */
function headerValues(ctx: WebhookContext, id: string, given: WebhookInput, previous: Webhook | null): HeaderValues {
  const isMoved = previous !== null && given.url != null && hostOf(given.url) !== hostOf(previous.url)
  if (given.headers === undefined) {
    if (!isMoved || previous.sealedHeaders === null) return {}
    const message = 'headers must be given with their values, because the stored ones are not sent to another host.'
    throw invalid({ path: 'headers', code: 'REQUIRED', message })
  }
  const { vault, caller } = ctx
  const place = headersPlace(caller.organizationId, id)
  const sealed = previous?.sealedHeaders
  const stored = sealed ? (JSON.parse(vault.open(caller.organizationId, place, sealed)) as Record<string, string>) : {}
  const headers = requestedHeaders(given.headers ?? {}, isMoved ? {} : stored)
  const isUnchanged = JSON.stringify(headers) === JSON.stringify(stored)
  if (isUnchanged) return {}
  const isEmpty = Object.keys(headers).length === 0
  return {
    shown: { headers: withoutValues(headers) },
    sealed: { sealedHeaders: isEmpty ? null : vault.seal(caller.organizationId, place, JSON.stringify(headers)) },
  }
}

/** What follows from turning a webhook on or off. */
function switchedValues(ctx: RequestContext, given: WebhookInput, previous: Webhook | null): Decided<Webhook> {
  const isEnabled = given.isEnabled ?? previous?.isEnabled ?? true
  if (isEnabled === (previous?.isEnabled ?? true)) return {}
  if (isEnabled) return { implied: { disabledAt: null, disabledReason: null, consecutiveFailures: 0 } }
  const implied = { disabledAt: ctx.clock.now().toISOString(), disabledReason: 'REQUESTED' } as const
  return previous ? { implied, events: ['webhook.disabled'] } : { implied }
}

/** Only this answer contains the secret. */
export async function createWebhook(ctx: WebhookContext, names: EventNames, input: WebhookInput): Promise<Webhook> {
  requireAdministrator(ctx)
  await requireRightToChange(ctx, input, null)
  await refuseProblems(ctx, names, input, null)
  await loadDataKeys(ctx)
  const { headers: _headers, ...values } = input
  const id = input.id?.toLowerCase() ?? newId()
  const secret = newSigningSecret()
  const headers = headerValues(ctx, id, input, null)
  const record = await save(ctx, webhook, {
    operation: 'CREATE',
    previous: null,
    values: { ...values, ...headers.shown, id } as Partial<Webhook>,
    implied: {
      ...headers.sealed,
      sealedSecret: sealSecret(ctx, id, secret),
      ...switchedValues(ctx, input, null).implied,
    },
  })
  return { ...record, secret }
}

export async function updateWebhook(
  ctx: WebhookContext,
  names: EventNames,
  id: string,
  input: WebhookInput,
  expectedVersion: number | null,
): Promise<Webhook> {
  requireAdministrator(ctx)
  await loadDataKeys(ctx)
  const decide = async (previous: Webhook, inner: WebhookContext) => {
    await requireRightToChange(inner, input, previous)
    requireActiveOwner(input, previous)
    await refuseProblems(inner, names, input, previous)
    const { headers: _headers, ...values } = input
    const { implied, events = [] } = switchedValues(inner, input, previous)
    const headers = headerValues(inner, previous.id, input, previous)
    return {
      operation: 'UPDATE' as const,
      values: { ...values, ...headers.shown } as Partial<Webhook>,
      implied: { ...headers.sealed, ...implied, ...(input.ownerId && { isPaused: false }) },
      events,
    }
  }
  return change(ctx, webhook, id, decide, { expectedVersion })
}

/** Deliveries that are under way may still be attempted. The secrets are removed; the delivery log is kept for its time. */
export async function deleteWebhook(ctx: WebhookContext, id: string, expectedVersion: number | null): Promise<string> {
  requireAdministrator(ctx)
  const erased = { ...erasedSecrets, sealedHeaders: null }
  const decide = () => ({ operation: 'DELETE' as const, values: {}, implied: erased })
  return (await change(ctx, webhook, id, decide, { expectedVersion })).id
}

/**
 * Gives the webhook a new secret, which only this answer contains. Until the overlap ends, deliveries are signed with both secrets. A
 * secret that was still in an earlier overlap ends at once, so that a delivery never has more than two signatures.
 */
export async function rotateWebhookSecret(ctx: WebhookContext, id: string, overlapHours: number): Promise<Webhook> {
  requireAdministrator(ctx)
  if (overlapHours < 0 || overlapHours > overlapHoursMax) {
    const message = `overlapHours must be between 0 and ${overlapHoursMax}.`
    throw invalid({ path: 'overlapHours', code: 'OUT_OF_RANGE', message })
  }
  await loadDataKeys(ctx)
  const secret = newSigningSecret()
  const record = await change(ctx, webhook, id, async (previous, inner) => {
    await requireRightToChange(inner, {}, previous)
    return {
      operation: 'UPDATE',
      values: {},
      implied: rotatedSecrets(inner, secretPlace, previous, { secret, overlapHours }),
      action: 'webhook.rotated',
    }
  })
  return { ...record, secret }
}

/** Turns a webhook off after too many failures, in the context of the platform. Of parallel calls, one returns true: it notifies the owner. */
export async function disableFailingWebhook(ctx: RequestContext, id: string): Promise<boolean> {
  let isTurnedOff = false
  await change(ctx, webhook, id, (previous) => {
    isTurnedOff = previous.isEnabled
    if (!previous.isEnabled) return { operation: 'UPDATE', values: {} }
    const disabledAt = ctx.clock.now().toISOString()
    return {
      operation: 'UPDATE',
      values: {},
      implied: { isEnabled: false, disabledAt, disabledReason: 'FAILURES' as const },
      events: ['webhook.disabled'],
      action: 'webhook.disabled',
    }
  })
  return isTurnedOff
}
