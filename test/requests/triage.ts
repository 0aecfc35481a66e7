import { riskWeights } from '../../subgraphs/insights/triage/churn-risk.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Sender } from './sender.ts'

const accountEvidence = (entityId: string) => ({ entityType: 'ACCOUNT', entityId })

/** An action, as a case stores it, that creates a task for an account. */
export const triageAction = (accountId: string) => ({
  type: 'CREATE_TASK',
  reason: 'SILENCE',
  subject: accountEvidence(accountId),
  title: 'Call the customer',
  rationale: 'The customer has not been heard of for three weeks or longer.',
  payload: { subject: 'Call the customer', type: 'CALL', source: 'TRIAGE' },
  status: 'SUGGESTED',
  executedAt: null,
  resultId: null,
  error: null,
  failures: 0,
})

/** A case with this id of a new account, with one action that can be executed. */
export async function aTriageCase(
  { platform, member }: Sender,
  id: string,
  path: Record<string, string> = {},
): Promise<void> {
  const { body } = await member.rest.accountCreate!({ body: { name: 'Halvorsen Marine AS' } })
  const accountId = body.id as string
  const actionId = newId()
  if ('actionId' in path) path['actionId'] = actionId
  const signal = {
    key: 'BASE_RATE',
    value: 1,
    weight: -2.5,
    contribution: 7.59,
    evidence: [accountEvidence(accountId)],
  }
  const action = { ...triageAction(accountId), id: actionId }
  await platform.query(
    `insert into insights.triage_case (organization_id, id, owner_id, account_id, status, severity, risk_score, churn_risk, revenue_at_risk, currency,
       urgency, opened_at, computed_at, stored_signals, stored_actions, custom_fields, version, created_at, updated_at)
     values ($1, $2, $3, $4, 'OPEN', 'HIGH', 68.42, 'MEDIUM', 21894.4, 'USD', 32841.6, now(), now(), $5, $6, '{}', 1, now(), now())`,
    [
      member.organizationId,
      id,
      member.userId,
      accountId,
      JSON.stringify([{ ...signal, detectedAt: '2027-01-01T06:00:00.000Z' }]),
      JSON.stringify([action]),
    ],
  )
}

export const triagePreparations = {
  triageCase: aTriageCase,
  triageCaseList: async (requests: Sender) => {
    for (let row = 0; row < 2; row++) await aTriageCase(requests, newId())
  },
  triageSavePlan: aTriageCase,
  triageIgnore: aTriageCase,
  triageResolve: aTriageCase,
  triageActionExecute: aTriageCase,
  // While a scan is requested, another one is refused.
  triageScanRequest: async ({ platform, member }: Sender) => {
    await platform.query('delete from insights.triage_scan where organization_id = $1', [member.organizationId])
  },
}

export const triageBodies = {
  // The example of the contract names an action of no case.
  triageSavePlan: async (_requests: Sender, whole: boolean) => (whole ? { plan: 'Call the yard.' } : { actionIds: [] }),
  // A schedule and thresholds cannot be made up one by one.
  triageConfigUpdate: async (_requests: Sender, whole: boolean) =>
    whole
      ? {
          enabled: true,
          weights: { ...riskWeights },
          thresholds: { critical: 80, high: 60, medium: 40 },
          lookbackDays: 90,
          minimumRevenue: 1000,
          excludedAccountTypes: ['COMPETITOR'],
          scanSchedule: '30 5 * * MON-FRI',
          cooldownDays: 14,
          autoResolveBelow: 30,
          notify: { owner: true },
        }
      : { enabled: true },
}

/** For the tests of the values in a list that no valid body has. */
export const triageParts = {
  triageSavePlan: { actionIds: [newId()], customActions: [{ action: 'plan_visit', input: {} }] },
}

/** Each of them moves the case on, or asks for a scan. */
export const triageOnce = ['triageIgnore', 'triageResolve', 'triageActionExecute', 'triageScanRequest']
