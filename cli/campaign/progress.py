"""What a campaign has done so far: a line that is kept up to date on a terminal, else a line for each tenth."""
import sys
import time


def span(seconds):
    """A time in words: 1:05:09, 2:30."""
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


class Progress:
    def __init__(self, total, done, failed, buckets, stream=sys.stderr):
        self.total, self.done, self.failed, self.buckets, self.stream = total, done, failed, buckets, stream
        self.known, self.begin, self.tenth, self.began_with, self.live = buckets, time.monotonic(), 10 * done // max(total, 1), done, None
        self.beside, self.since = "", 0.0
        if stream.isatty():
            try:
                import rich.console
                import rich.live
                import rich.text
                self.live = rich.live.Live(get_renderable=lambda: rich.text.Text(self.text()), console=rich.console.Console(file=stream),
                                           transient=True, refresh_per_second=4)
                self.live.start()
            except ImportError:
                pass  # Lines alone

    def text(self):
        here, now = self.done - self.began_with, time.monotonic()
        seconds = now - self.begin
        rate = here / seconds if seconds else 0
        left = span((self.total - self.done) / rate) if rate else "?"
        line = f"{self.done} of {self.total} runs, {self.failed} failed, {self.buckets} buckets, {self.buckets - self.known} new"
        line += f", {rate:.1f} runs/s, {left} left" if self.done < self.total else ""
        return line + (f"; {self.beside}, {span(now - self.since)}" if self.live and self.beside else "")

    def begin_beside(self, what):
        """Something else than runs begins: shrinking a program, settling the buckets. Empty: it has ended."""
        self.beside, self.since = what, time.monotonic()
        if what and not self.live:
            print(f"{self.text()}; {what}", file=self.stream, flush=True)

    def update(self, done=0, failed=0, buckets=None):
        self.done, self.failed = self.done + done, self.failed + failed
        self.buckets = self.buckets if buckets is None else buckets
        if not self.live and 10 * self.done // max(self.total, 1) > self.tenth:
            self.tenth = 10 * self.done // self.total
            print(self.text(), file=self.stream, flush=True)

    def close(self):
        if self.live:
            self.live.stop()
