"""The engine of one machine: several runs at once, each in a thread that waits for its programs; reports of new buckets between them."""
import concurrent.futures


def pump(pool, jobs, runs, perform, take, more=lambda: None, stop=lambda: False):
    """Perform runs side by side, take each result in this thread; more() gives (function, argument, take) of other work, or None."""
    waiting, runs = {}, iter(runs)
    run = next(runs, None)
    while True:
        while len(waiting) < 2 * jobs:
            other = more()
            if other:
                waiting[pool.submit(other[0], other[1])] = other[2]
            elif run is not None and not stop():
                waiting[pool.submit(perform, run)] = take
                run = next(runs, None)
            else:
                break
        if not waiting:
            return
        for future in concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED).done:
            waiting.pop(future)(future.result())


def perform(campaign):
    """All runs that are pending."""
    state = {"reporting": 0}

    def more():
        # One report at a time: runs go on beside it.
        if state["reporting"] or not campaign.to_report:
            return None
        state["reporting"] = 1
        return campaign.shrink, campaign.to_report.pop(0), taken

    def taken(answer):
        state["reporting"] = 0
        campaign.take_report(answer)

    with concurrent.futures.ThreadPoolExecutor(campaign.jobs) as pool:
        try:
            for runs in campaign.generations(pool):
                pump(pool, campaign.jobs, runs, campaign.runner.perform, campaign.take, more, campaign.over)
            campaign.finish(pool)
        except BaseException:
            campaign.children.stop()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
