export { bulkJobFiles } from './bulk-job/bulk-content.ts'
export { bulkJobNotices, type BulkJobNotices } from './bulk-job/job-notices.ts'
