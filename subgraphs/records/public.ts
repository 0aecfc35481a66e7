export { bulkJobFiles } from './bulk-job/bulk-content.ts'
export { jobNotices, type JobNotices } from './bulk-job/job-notices.ts'
