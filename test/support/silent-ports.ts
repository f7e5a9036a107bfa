export { type LogLine, recordingEvents, recordingLogger, recordingMetrics } from '../../src/testkit/recording-ports.ts';
