import { setQuota } from '../../subgraphs/insights/quota/quota.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import type { Sender } from './sender.ts'

let months = 0

/** A month of which no request has set the quota, so that each request creates one. */
function nextMonth(): string {
  const number = months++ % 3600
  return `${1900 + Math.floor(number / 12)}-${String((number % 12) + 1).padStart(2, '0')}`
}

const aQuota = (userId: string, whole: boolean) => {
  const period = nextMonth()
  const days = { startDate: `${period}-01`, endDate: `${period}-28` }
  return { userId, period, target: 250000, ...(whole && { periodType: 'MONTH', currency: 'USD', ...days }) }
}

/** Exactly one of the user and the team may be named, and the period must fit its type. */
export const quotaBodies = {
  quotaSet: ({ member }: Sender, whole: boolean) => Promise.resolve(aQuota(member.userId, whole)),
  quotaBulkSet: ({ member }: Sender, whole: boolean) =>
    Promise.resolve({ quotas: [aQuota(member.userId, whole), aQuota(member.userId, whole)] }),
  quotaCopyPrevious: () => Promise.resolve({ period: '2027-02', periodType: 'MONTH' }),
}

const aForecast = ({ member }: Sender, whole: boolean) =>
  Promise.resolve({
    period: '2027-02',
    ...(whole && {
      userId: member.userId,
      periodType: 'MONTH',
      commit: 180000,
      bestCase: 60000.5,
      pipeline: 0,
      currency: 'USD',
      notes: 'Two deals slip.',
    }),
  })

/** A forecast is for the caller unless it names somebody who reports to the caller. */
export const forecastBodies = { forecastSubmit: aForecast, forecastCreate: aForecast }

/** Quotas of the current month, quarter and year, so that the lists of current periods have rows. */
async function currentQuotas({ platform, member }: Sender): Promise<void> {
  const ctx = systemContext(platform.services, member.organizationId)
  const day = platform.now.toISOString()
  const [year, month] = [day.slice(0, 4), Number(day.slice(5, 7))]
  for (const period of [day.slice(0, 7), `${year}-Q${Math.ceil(month / 3)}`, year]) {
    await setQuota(ctx, { userId: member.userId, period, target: 250000 })
  }
}

export const quotaPreparations = { quotaAttainment: currentQuotas }
