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
