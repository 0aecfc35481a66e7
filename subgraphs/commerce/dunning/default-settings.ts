import type { DunningSettings, DunningStep, DunningTone } from './dunning-configuration.ts'

const step = (
  level: number,
  daysOverdue: number,
  tone: DunningTone,
  more: Partial<Pick<DunningStep, 'createTask' | 'notifyOwner'>> = {},
): DunningStep => ({
  level,
  daysOverdue,
  templateId: null,
  tone,
  channel: 'EMAIL',
  fee: { type: 'NONE', value: 0 },
  createTask: false,
  notifyOwner: false,
  escalateToUserId: null,
  ...more,
})

export const defaultSettings: DunningSettings = {
  enabled: false,
  gracePeriodDays: 3,
  minimumAmount: 0,
  sendTime: '09:00',
  timezone: null,
  skipWeekends: true,
  stopOnPartialPayment: false,
  pauseWhileDisputed: true,
  excludeAccountIds: [],
  steps: [
    step(1, 3, 'FRIENDLY'),
    step(2, 10, 'FIRM'),
    step(3, 21, 'URGENT', { createTask: true }),
    step(4, 45, 'FINAL', { notifyOwner: true }),
  ],
  interestRatePercent: 0,
  markUncollectibleAfterDays: 120,
}
